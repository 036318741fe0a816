"""Tests of the launcher, with a script that prints its arguments and its environment in place of the loader."""
import os
import platform
import shutil
import subprocess
import tempfile
import unittest

LAUNCHER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launcher")
PROCESSOR = platform.machine()
LOADER = {"x86_64": "usr/lib64/ld-linux-x86-64.so.2", "aarch64": "usr/lib/ld-linux-aarch64.so.1"}[PROCESSOR]
# Each argument and each variable ends with a zero byte; a line is between both.
PRINT = "#!/bin/sh\nprintf '%s\\0' \"$@\" '\n'\nexec /usr/bin/env -0\n"
OWN_CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
MACHINES_CERTIFICATES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                         "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem")


class LauncherTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = os.path.realpath(folder.name)

    def install(self, place="env", home="libexec/stagedoor"):
        """The path of a launcher in a folder bin, and that of its home."""
        bin_folder, home = os.path.join(self.work, place, "bin"), os.path.join(self.work, place, home)
        os.makedirs(bin_folder)
        launcher = shutil.copy(LAUNCHER, os.path.join(bin_folder, "stagedoord"))
        os.makedirs(os.path.join(home, os.path.dirname(LOADER)))
        with open(os.path.join(home, LOADER), "w", encoding="utf-8") as file:
            file.write(PRINT)
        os.chmod(os.path.join(home, LOADER), 0o755)
        return launcher, home

    def run_program(self, command, *arguments, executable=None, **environment):
        """The arguments of the loader, and its environment."""
        output = subprocess.run([command, *arguments], executable=executable, env=environment, check=True, capture_output=True, text=True).stdout
        given, _, variables = output.partition("\0\n\0")
        return given.split("\0"), dict(line.split("=", 1) for line in variables.split("\0") if line)

    def failure(self, launcher):
        done = subprocess.run([launcher], env={}, check=False, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (127, ""))
        return done.stderr

    def wanted(self, launcher, home, *arguments):
        return ["--inhibit-cache", "--library-path", f"{home}/usr/lib/{PROCESSOR}-linux-gnu", "--argv0", launcher, f"{home}/usr/bin/stagedoord",
                *arguments]

    def test_the_loader_gets_the_libraries_the_program_and_its_arguments(self):
        launcher, home = self.install()
        self.assertEqual(self.run_program(launcher, "--address", "", "a b")[0], self.wanted(launcher, home, "--address", "", "a b"))
        self.assertEqual(self.run_program(launcher)[0], self.wanted(launcher, home))

    def test_it_is_found_by_its_file_and_not_by_the_name_of_its_start(self):
        launcher, home = self.install()
        link = os.path.join(self.work, "link")
        os.symlink(launcher, link)
        self.assertEqual(self.run_program(link)[0], self.wanted(launcher, home))
        self.assertEqual(self.run_program("other", executable=launcher)[0], self.wanted(launcher, home))

    def test_a_wheel_that_is_only_unpacked_runs_as_well(self):
        launcher, home = self.install(home="data/libexec/stagedoor")
        self.assertEqual(self.run_program(launcher)[0], self.wanted(launcher, home))

    def test_variables_for_the_machines_loader_are_dropped_and_others_kept(self):
        launcher, _ = self.install()
        dropped = {"LD_PRELOAD": "", "LD_AUDIT": "", "LD_LIBRARY_PATH": "/nowhere"}
        found = self.run_program(launcher, HOME="/home/me", STAGEDOOR_THREADS="2", **dropped)[1]
        self.assertEqual((found["HOME"], found["STAGEDOOR_THREADS"]), ("/home/me", "2"))
        self.assertFalse(dropped.keys() & found.keys())

    def test_certificates_are_those_of_the_machine_or_else_of_the_wheel(self):
        launcher, home = self.install()
        machines = next((path for path in MACHINES_CERTIFICATES if os.access(path, os.R_OK)), f"{home}/{OWN_CERTIFICATES}")
        found = self.run_program(launcher)[1]
        self.assertEqual((found["SSL_CERT_FILE"], found["GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"]), (machines, machines))

    def test_certificates_that_the_environment_names_are_kept_and_grpc_has_the_same(self):
        launcher, _ = self.install()
        found = self.run_program(launcher, SSL_CERT_FILE="/mine.pem")[1]
        self.assertEqual((found["SSL_CERT_FILE"], found["GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"]), ("/mine.pem", "/mine.pem"))
        found = self.run_program(launcher, SSL_CERT_FILE="/mine.pem", GRPC_DEFAULT_SSL_ROOTS_FILE_PATH="/other.pem")[1]
        self.assertEqual((found["SSL_CERT_FILE"], found["GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"]), ("/mine.pem", "/other.pem"))

    def test_time_zones_are_those_of_the_machine_or_else_of_the_wheel(self):
        launcher, home = self.install()
        machines = os.access("/usr/share/zoneinfo/UTC", os.R_OK)
        self.assertEqual(self.run_program(launcher)[1].get("TZDIR"), None if machines else f"{home}/usr/share/zoneinfo")
        self.assertEqual(self.run_program(launcher, TZDIR="/zones")[1]["TZDIR"], "/zones")

    def test_what_is_missing_is_named(self):
        launcher, home = self.install()
        os.chmod(os.path.join(home, LOADER), 0o644)
        self.assertEqual(self.failure(launcher), f"stagedoord: cannot start '{home}/{LOADER}': Permission denied\n")
        shutil.rmtree(home)
        self.assertEqual(self.failure(launcher), f"stagedoord: cannot find '{os.path.dirname(launcher)}/../libexec/stagedoor': "
                                                 "it is missing; install stagedoor-daemon again\n")

    def test_folders_that_the_loader_would_misread_are_named(self):
        for name in ("a:b", "a;b", "$LIB"):
            launcher, home = self.install(place=name)
            self.assertEqual(self.failure(launcher), f"stagedoord: cannot run from '{home}': the loader takes ':', ';' and '$' for its own; "
                                                     "install stagedoor-daemon elsewhere\n")


if __name__ == "__main__":
    unittest.main()
