#!/usr/bin/env python3
"""remote_command.py FOLDER URL COMMAND ARGUMENTS: runs the command with URLs instead of the paths of files in a folder,
and prints its output with paths instead of the URLs: what the corpus's run.py needs to compare scenes that a server holds
with the same recorded results. The URL stands for the root of the file system ("http://host:port", "s3://bucket").
"""
import subprocess
import sys


def main():
    folder, url, *command = sys.argv[1:]
    arguments = [url + a if a.startswith(folder + "/") else a for a in command]
    done = subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    sys.stdout.buffer.write(done.stdout.replace((url + "/").encode(), b"/"))
    sys.stdout.flush()
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
