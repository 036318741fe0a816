"""What the programs know: flags, commands, variables of the environment, and what the image has. Names in deploy/ must be among them."""
import os
import re
import subprocess

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PROGRAMS = ("/usr/bin/stagedoord", "/usr/bin/stagedoor")
# Variables of the command; docs/cli.md and docs/configuration.md list them.
COMMAND_VARIABLES = {"STAGEDOOR_ADDRESS", "STAGEDOOR_EMBEDDED", "STAGEDOOR_TLS_CA", "STAGEDOOR_TLS_CERTIFICATE", "STAGEDOOR_TLS_KEY",
                     "STAGEDOOR_TOKEN_FILE", "STAGEDOOR_PROXY"}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def flags_in(help_text):
    return set(re.findall(r"^\s+(?:-\w, )?--([a-zA-Z][a-zA-Z-]*)", help_text, re.M)) | {"help", "version"}


class Facts:
    def __init__(self):
        self.daemon, self.command = os.environ["STAGEDOORD"], os.environ["STAGEDOOR"]
        self.daemon_flags = flags_in(output(self.daemon, "--help"))
        overview = output(self.command, "help")
        self.commands = set(re.findall(r"^  ([a-z][a-z-]*) ", overview, re.M))
        self.common_flags = flags_in(overview)
        self.version = output(self.daemon, "--version").split()[1]

    def command_flags(self, name):
        return self.common_flags | flags_in(output(self.command, "help", name))

    def environment_errors(self, names):
        """Errors of variables that are set for our programs."""
        known = COMMAND_VARIABLES | {"STAGEDOOR_" + flag.upper().replace("-", "_") for flag in self.daemon_flags}
        return [f"unknown variable {name}" for name in names if name.startswith("STAGEDOOR_") and name not in known]

    def command_errors(self, words):
        """Errors of a command line of one of our programs, which begins with its path."""
        program, *arguments = words
        if program not in PROGRAMS:
            return [f"{program} is not in the image"]
        given = [word[2:].split("=")[0] for word in arguments if word.startswith("--")]
        if program == PROGRAMS[0]:
            others = [word for word in arguments if not word.startswith("--")]
            return [f"unknown flag --{flag}" for flag in given if flag not in self.daemon_flags] + [
                f"unexpected argument {word}" for word in others]
        name = next((word for word in arguments if not word.startswith("--")), None)
        if name not in self.commands:
            return [f"unknown command {name}"]
        known = self.command_flags(name)
        return [f"unknown flag --{flag} of {name}" for flag in given if flag not in known]


def seconds(text):
    """Seconds of a duration such as 30s, 60 or 1min."""
    number, unit = re.fullmatch(r"(\d+)\s*(s|m|min)?", str(text)).groups()
    return int(number) * (60 if unit in ("m", "min") else 1)


def drain_seconds(config):
    """The longest time that a daemon with this configuration takes to stop after SIGTERM. Defaults as in docs/operations.md."""
    return config.get("drain-delay", 0) + config.get("drain-seconds", 5) + config.get("cancel-seconds", 5)
