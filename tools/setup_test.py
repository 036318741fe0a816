"""Tests of setup.sh with a package manager that records how it is called."""
import os
import shutil
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = ("bash", "cat", "comm", "dirname", "env", "grep", "kill", "mktemp", "readlink", "rm", "sed", "sort", "tail", "true")
WAIT = "until [ -e %s ]; do read -rt 0.02 <> <(:); done; "


class SetupTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        for name in PROGRAMS:
            os.symlink(shutil.which(name), self.path(name))
        shutil.copy(os.path.join(HERE, "setup.sh"), self.folder)
        with open(self.path("packages.txt"), "w", encoding="utf-8") as file:
            file.write("# Compilers\ng++\nclang\npython3\n")
        self.install("dpkg-query", "echo 'ii  python3'; echo 'rc  clang'")
        self.install("id", "echo 0")
        self.install("sleep", "exec tail -f /dev/null --pid $PPID")
        self.install("apt-get", 'echo "$DEBIAN_FRONTEND $* stdin $(cat)" >>' + self.path("calls"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def install(self, program, script):
        with open(self.path(program), "w", encoding="utf-8") as file:
            file.write("#!/bin/bash\n" + script + "\n")
        os.chmod(self.path(program), 0o755)

    def setup_sh(self):
        """Returns (status, output)."""
        done = subprocess.run([shutil.which("bash"), self.path("setup.sh")], env={"PATH": self.folder}, input="answer", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout

    def calls(self):
        try:
            with open(self.path("calls"), encoding="utf-8") as file:
                return file.read().split("\n")[:-1]
        except FileNotFoundError:
            return []

    def test_prints_the_missing_packages_and_installs_them_without_a_question(self):
        self.assertEqual(self.setup_sh(), (0, "setup: installing 2 packages of the distribution: clang g++\n"))
        self.assertEqual(len(self.calls()), 1)
        self.assertRegex(self.calls()[0], r"^noninteractive .* -y .*--force-confold install --no-install-recommends clang g\+\+ stdin $")

    def test_prints_nothing_if_nothing_is_missing(self):
        self.install("dpkg-query", "for name in python3 clang g++; do echo \"ii  $name\"; done")
        self.assertEqual(self.setup_sh(), (0, ""))
        self.assertEqual(self.calls(), [])

    def test_outdated_lists_are_fetched_after_a_failure(self):
        self.install("apt-get", 'echo "${@: -1}" >>%s; [ -e %s ] || { : >%s; exit 1; }' % ((self.path("calls"),) + (self.path("failed"),) * 2))
        self.assertEqual(self.setup_sh()[0], 0)
        self.assertEqual(self.calls(), ["g++", "update", "g++"])

    def test_a_failure_prints_the_errors(self):
        self.install("apt-get", "echo Reading; echo 'E: no such package at https://mirror/x'; exit 1")
        self.assertEqual(self.setup_sh(), (1, "setup: installing 2 packages of the distribution: clang g++\n"
                                              "setup: apt-get failed:\nE: no such package at <mirror>\n"))

    def test_a_line_a_minute_counts_packages(self):
        log, minute, seen = self.path("logged"), self.path("minute"), self.path("seen")
        self.install("apt-get", "echo '0 upgraded, 4 newly installed, 0 to remove'; echo 'Unpacking a (1)'; echo 'Unpacking b (1)';"
                     "echo 'Setting up a (1)'; echo 'Setting up b (1)'; : >%s; " % log + WAIT % seen)
        self.install("sleep", "if [ ! -e %s ]; then " % minute + WAIT % log + ": >%s; exit; fi; : >%s; exec tail -f /dev/null --pid $PPID" % (minute, seen))
        self.assertEqual(self.setup_sh(), (0, "setup: installing 2 packages of the distribution: clang g++\n"
                                              "setup: 2 of 4 packages installed, dependencies included\n"))

    def test_a_password_is_not_asked_for(self):
        self.install("id", "echo 1000")
        self.install("sudo", '[ "$1" = -n ] || echo asked; exit 1')
        self.assertEqual(self.setup_sh(), (1, "setup: installing 2 packages of the distribution: clang g++\n"
                                              "setup: this needs root, or sudo without a password; run: sudo tools/setup.sh\n"))
        self.install("sudo", 'shift; exec "$@"')
        self.assertEqual(self.setup_sh()[0], 0)
        self.assertEqual(len(self.calls()), 1)


if __name__ == "__main__":
    unittest.main()
