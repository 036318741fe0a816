#!/usr/bin/env python3
"""Finds names in the documentation that do not exist: check_docs.py [FILES]. Prints FILE:LINE: what is wrong.

Checks all Markdown files but the change log. Decision records tell of the past, so only their links and commands are checked.

- links: the file and the heading
- paths, file names and Bazel targets in code spans; a word in capitals stands for any name
- commands and their flags, in code spans and code blocks: ./dev, stagedoor, stagedoord and scripts of this repository
- environment variables, metrics, and names of classes, methods, messages, constants and status reasons, in code spans: a source
  must have them, or tools/check_docs_foreign.txt, the list of what is OpenUSD's or another program's
"""
import fnmatch
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
FOREIGN = "tools/check_docs_foreign.txt"
EXEMPT = re.compile(r"^CHANGELOG\.md$|/corpus/|^third_party/")
PAST = re.compile(r"^docs/decisions/")
SOURCES = (".h", ".cc", ".c", ".inc", ".proto", ".py", ".pyi", ".sh", ".bzl", ".bazel", ".yaml", ".yml", ".cfg", ".toml", ".usda", ".json", ".txt",
           ".service", ".in")
EXTENSIONS = r"(?:h|cc|c|inc|py|sh|bzl|md|proto|txt|toml|yaml|yml|service|ipynb|cfg)"
# Metrics are named in the sources by the prefix and suffix of a cache's family, and by Prometheus by the parts of a histogram.
HISTOGRAM = ("_bucket", "_count", "_sum")

WORD = re.compile(r"[A-Za-z_]\w*")
SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")
FLAG = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*")
METRIC = re.compile(r"(?<![\w./:-])(?:stagedoor|process)_[a-z0-9_]+")
IDENTIFIER = re.compile(r"(?:[A-Za-z]\w*(?:::|\.))*~?[A-Za-z]\w*(?:\(\))?")


class Tree:
    """The files of a repository, and what they define."""

    def __init__(self, root, files):
        self.root, self.files = root, sorted(files)
        self.folders = {""}
        for path in self.files:
            while "/" in path:
                path = path.rsplit("/", 1)[0]
                self.folders.add(path)
        self.tops = {path.split("/")[0] for path in self.files}
        self.words = self._words()
        self.declared = self._declared_flags()
        self.dev = self._dev_commands()
        self.commands = self._client_commands()
        self.daemon_flags = set(re.findall(r'"([a-z][a-z0-9-]+)"', self.text("server/config/daemon_flag_table.cc") +
                                           self.text("server/config/upstream_flags.cc"))) | {
            "config", "check-config", "print-config", "help", "version"}
        self._anchors = {}

    def text(self, path):
        try:
            with open(os.path.join(self.root, path), encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError:
            return ""

    def _words(self):
        words = set()
        for path in self.files:
            if path.endswith(SOURCES) or "." not in os.path.basename(path):
                if not path.startswith("tools/check_docs"):
                    words.update(WORD.findall(self.text(path)))
        return words

    def _dev_commands(self):
        """{command of ./dev: the flags in its help, and those that the scripts that it runs declare}."""
        text = self.text("dev")
        commands = {}
        for name, body in re.findall(r"^cmd_(\w+)\(\) (\{.*?\}$|\{.*?^\})", text, re.M | re.S):
            line = re.search(r"^\./dev %s .*(?:\n {5,}.*)*" % name, text, re.M)
            commands[name] = set(FLAG.findall(line[0] if line else ""))
            for script in re.findall(r"(?:\$root/|\b)([\w/]+/\w+\.(?:py|sh))", body):
                commands[name] |= self._flags_below(script)
            for folder, target in re.findall(r"//([\w/]+):(\w+)", body):
                commands[name] |= self._flags_below("%s/%s.py" % (folder, target))
        return commands

    def _flags_below(self, script):
        """The flags that a script or one in the folder of the same name declares, and those of Python modules that it runs."""
        paths = [script] + [path for path in self.files if path.startswith(os.path.splitext(script)[0] + "/")]
        for module in re.findall(r"-m ([\w.]+)", self.text(script)):
            paths += ["benchmarks/%s%s" % (module.replace(".", "/"), ending) for ending in (".py", "/__main__.py")]
        return set().union(*(self.declared.get(path, set()) for path in paths))

    def _declared_flags(self):
        """{script or program: the flags that it declares}."""
        declared = {}
        for path in self.files:
            text = self.text(path) if path.endswith((".py", ".sh", ".cc")) and not path.endswith("_test.cc") else ""
            if path.endswith(".py"):
                found = FLAG.findall(" ".join(re.findall(r"add_argument\(\s*((?:\"[^\"]*\",?\s*)+)", text)))
                found += re.findall(r'"(--[a-z-]+)"(?= in sys\.argv|\])', text)
            elif path.endswith(".sh"):
                found = FLAG.findall(" ".join(re.findall(r"^\s*((?:--[\w-]+(?:=\*)?(?: ?\| ?)?)+)\)", text, re.M)))
                found += re.findall(r'= (--[a-z-]+) \]', text)
            elif path.startswith(("benchmarks/", "tests/", "tools/")):
                found = FLAG.findall(text)
            else:
                found = []
            declared[path] = set(found)
        return declared

    def _client_commands(self):
        """{command of stagedoor: its flags}."""
        text = self.text("client/cli/command_table.cc")
        options = re.search(r"kOptions\[\] = \{(.*?)^\};", text, re.M | re.S)
        options = options[1] if options else ""
        self.client_flags = set(re.findall(r'^    \{"(\w[\w-]*)"', options, re.M))
        everywhere = _strings(re.search(r"kEverywhere = \{.*?\};", text, re.S))
        stage = _strings(re.search(r"Names OptionsOfStages.*?\};", text, re.S))
        commands = {"help": everywhere}
        table = re.search(r"& Table\(\) \{.*?return \*table;", text, re.S)
        for row in re.split(r"^ {6}(?=\{)", table[0] if table else "", flags=re.M)[1:]:
            words = re.findall(r'"((?:\\.|[^"\\])*)"', row)
            commands[words[0]] = everywhere | set(words[1:]) | (stage if "OptionsOfStages" in row else set())
        return commands

    def has_path(self, path):
        path = path.strip("/")
        return path in self.folders or path in self.files

    def matches(self, pattern):
        """Whether a file or folder matches a path with *, {a,b} and words in capitals for any name."""
        pattern = pattern.rstrip("/")
        if self.has_path(pattern):
            return True
        glob = re.sub(r"(?<![A-Za-z])[A-Z]{4,}(?![a-z])", "*", pattern)
        for alternative in _braces(glob):
            if not any(fnmatch.fnmatch(path, alternative) for path in self.files) and not any(
                    fnmatch.fnmatch(path, alternative) for path in self.folders):
                return False
        return True

    def anchors(self, path):
        if path not in self._anchors:
            found, lines = set(), _blank_blocks(self.text(path).split("\n"))
            for line in lines:
                heading = re.match(r"#+\s+(.*)", line)
                if heading:
                    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
                    found.add(re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-"))
            self._anchors[path] = found
        return self._anchors[path]

    def has_target(self, label):
        package, _, name = label[2:].partition(":")
        package = package.rstrip("/")
        if package.endswith("..."):
            return package == "..." or package[:-4] in self.folders
        build = self.text((package + "/" if package else "") + "BUILD.bazel")
        if not build:
            return False
        name = name or package.rsplit("/", 1)[-1]
        return (name in ("all", "*") or re.search(r'"%s"' % re.escape(name), build) is not None
                or self.has_path(package + "/" + name) or any(
                    self.has_path("%s/%s%s" % (package, name, ending)) for ending in (".cc", ".py", ".sh")))

    def has_metric(self, name):
        for part in HISTOGRAM:
            if name.endswith(part) and name[:-len(part)] in self.words:
                return True
        if name in self.words or name.endswith("_") and any(word.startswith(name) for word in self.words):
            return True
        return any(name[:i] in self.words and "_" + name[i + 1:] in self.words
                   for i in range(len(name)) if name[i] == "_")


def _strings(match):
    return set(re.findall(r'"([^"]*)"', match[0])) if match else set()


def _braces(pattern):
    match = re.search(r"\{([^{}]*)\}", pattern)
    if not match:
        return [pattern]
    return [p for choice in match[1].split(",")
            for p in _braces(pattern[:match.start()] + choice + pattern[match.end():])]


def _blank_blocks(lines):
    """The lines without those of fenced code blocks."""
    fenced, kept = False, []
    for line in lines:
        if line.lstrip().startswith("```"):
            fenced = not fenced
            kept.append("")
        else:
            kept.append("" if fenced else line)
    return kept


def _split(lines):
    """Yields (number, text, whether it is in a code block) of all lines but the fences."""
    fenced, after_blank, in_block = False, True, False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        indented = line.startswith("    ") and (after_blank or in_block)
        in_block = indented and not re.match(r"\s*(?:[-*]|\d+\.) ", line)
        after_blank = not line.strip()
        if after_blank:
            in_block = in_block and not fenced
        yield number, line, fenced or in_block


class Checker:
    def __init__(self, tree):
        self.tree = tree
        self.foreign, patterns = set(), []
        for line in tree.text(FOREIGN).split("\n"):
            line = line.partition("#")[0].strip()
            if "*" in line:
                patterns.append(line)
            elif line:
                self.foreign.add(line)
        self.patterns = patterns
        self.used = set()  # entries of the list that documentation needs

    def is_foreign(self, name):
        if name in self.foreign:
            self.used.add(name)
            return True
        for pattern in self.patterns:
            if fnmatch.fnmatchcase(name, pattern):
                self.used.add(pattern)
                return True
        return False

    def check(self, path, text):
        """Yields (line, complaint)."""
        past = PAST.search(path) is not None
        for number, line, in_block in _split(text.split("\n")):
            for name in () if past else METRIC.findall(line):
                if not self.tree.has_metric(name) and not self.is_foreign(name):
                    yield number, "no source has %s" % name
            if in_block:
                for complaint in self.block(line):
                    yield number, complaint
                continue
            for link in LINK.findall(SPAN.sub("", line)):
                for complaint in self.link(path, link):
                    yield number, complaint
            for span in SPAN.findall(line):
                complaints = list(self.commands(span[1]))
                if not complaints and not past:
                    complaints = self.span(path, span[1].strip())
                for complaint in complaints:
                    yield number, complaint

    def link(self, path, link):
        if re.match(r"[a-z]+:", link):
            return
        file, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if not self.tree.has_path(target) and target != ".":
            yield "the link leads to %s, which does not exist" % target
        elif anchor and target.endswith(".md") and anchor not in self.tree.anchors(target):
            yield "%s has no heading #%s" % (target, anchor)

    def block(self, line):
        """Complaints about a line of a code block."""
        yield from self.commands(line)
        for word in re.findall(r"(?<![\w./$:-])[\w.-]+(?:/[\w.-]+)+", line):
            if word.split("/")[0] in self.tree.tops and not self.tree.matches(word) and not self.is_foreign(word):
                yield "%s does not exist" % word

    def commands(self, text):
        """Complaints about the commands that a line of code runs."""
        for part in re.split(r"[|;&]+(?![^<]*>)|\$ ", text):
            words = part.split()
            while words and re.fullmatch(r"[A-Z_]+=\S*|sudo|exec|nice|env|time|-n|\d+", words[0]):
                words = words[1:]
            if not words:
                continue
            program = words[0]
            flags = [flag for word in words[1:] for flag in FLAG.findall(word)]
            if program == "./dev" and len(words) > 1:
                yield from self.dev_command(words[1].rstrip(",:"), words[1:], flags)
            elif program == "stagedoor" and len(words) > 1:
                yield from self.client_command(words[1:], flags)
            elif program.endswith((".py", ".sh")) or program in ("python3", "bazel"):
                yield from self.script_command(words, flags)
            elif program == "stagedoord":
                for flag in flags:
                    if flag[2:] not in self.tree.daemon_flags:
                        yield "stagedoord has no flag %s" % flag

    def dev_command(self, name, words, flags):
        if name == "cli":
            yield from self.client_command(words[1:], flags)
        elif name == "run":
            yield from self.commands(" ".join(["stagedoord"] + words[1:]))
        elif re.fullmatch(r"[a-z_]+", name) and name != "help":
            if name not in self.tree.dev:
                yield "./dev has no command %s" % name
                return
            for flag in flags:
                if flag not in self.tree.dev[name]:
                    yield "./dev %s has no flag %s" % (name, flag)

    def script_command(self, words, flags):
        script = words[1] if words[0] == "python3" and len(words) > 1 else words[0]
        if words[0] == "bazel":
            for word in words[1:]:
                if word.startswith("//") and not self.tree.has_target(word):
                    yield "the target %s does not exist" % word
        elif script.endswith((".py", ".sh")) and script.split("/")[0] in self.tree.tops:
            if not self.tree.matches(script):
                yield "%s does not exist" % script
            for flag in flags:
                if self.tree.has_path(script) and flag not in self.tree.declared[script]:
                    yield "%s has no flag %s" % (script, flag)

    def client_command(self, words, flags):
        name = next((word for word in words if not word.startswith("-")), None)
        if name is None or not re.fullmatch(r"[a-z][a-z-]*", name) or words[0].startswith("-"):
            known = self.tree.client_flags
        elif name in self.tree.commands:
            known = self.tree.commands[name]
        elif re.fullmatch(r"[a-z][a-z-]*", words[0]):
            yield "stagedoor has no command %s" % name
            return
        for flag in flags:
            if flag[2:] not in known and flag[2:] not in ("help", "version"):
                yield "stagedoor %s has no flag %s" % (name, flag)

    def span(self, path, text):
        """Complaints about a code span."""
        tree = self.tree
        if text.startswith("//") and re.fullmatch(r"//[\w/.-]*(?::[\w.*-]+)?", text):
            if not tree.has_target(text) and not self.is_foreign(text):
                yield "the target %s does not exist" % text
        elif re.fullmatch(r"[\w.*{},-]+(?:/[\w.*{},-]*)+", text) and text.split("/")[0] in tree.tops:
            if not tree.matches(text) and not self._stem(text) and not self.is_foreign(text):
                yield "%s does not exist" % text
        elif re.fullmatch(r"[\w*{},-]+\.%s" % EXTENSIONS, text):
            if not self._file_name(path, text) and not self.is_foreign(text):
                yield "no file is named %s" % text
        elif re.fullmatch(r"--[A-Za-z][\w-]*(?: [^`]*)?", text):
            yield from self._flags(text)
        elif IDENTIFIER.fullmatch(text):
            yield from self._identifier(text)

    def _flags(self, text):
        tree = self.tree
        for flag in FLAG.findall(text):
            ours = flag[2:] in tree.daemon_flags or flag[2:] in tree.client_flags
            if not ours and not any(flag in flags for flags in tree.declared.values()) and not any(
                    flag in flags for flags in tree.dev.values()) and not self.is_foreign(flag):
                yield "no program of this repository has the flag %s" % flag

    def _stem(self, text):
        """Whether it is the path of a class, such as server/rpc/fair_queue."""
        return any(self.tree.has_path(text + ending) for ending in (".h", ".cc", ".py", ".proto"))

    def _file_name(self, path, text):
        pattern = re.sub(r"[A-Z]{4,}", "*", text)
        if re.fullmatch(r"\*+\.\w+", pattern):
            return True
        return all(any(fnmatch.fnmatch(os.path.basename(file), choice) for file in self.tree.files) for choice in _braces(pattern))

    def _identifier(self, text):
        """Names of our own style: of classes, constants, reasons and variables. Other words may be anything."""
        parts = re.split(r"::|\.", text.rstrip("()"))
        if not any(re.search(r"[a-z][A-Z]|^[A-Z]+_[A-Z_]+$|^[A-Z][a-z]+$", part) or text.endswith("()") or "::" in text
                   for part in parts):
            return
        for part in parts:
            part = part.lstrip("~")
            flag = re.fullmatch(r"STAGEDOOR_([A-Z0-9_]+)", part)
            if part in self.tree.words or self.is_foreign(text) or self.is_foreign(part):
                continue
            if flag and flag[1].lower().replace("_", "-") in self.tree.daemon_flags:
                continue
            yield "no source has %s" % part


def unlisted_commands(tree):
    """Commands of ./dev that its help does not list exactly once."""
    help_text = re.search(r"<<'EOF'\n(.*?)^EOF", tree.text("dev"), re.M | re.S)
    listed = re.findall(r"^\./dev (\w+)", help_text[1] if help_text else "", re.M)
    for name in sorted(set(tree.dev) | set(listed)):
        if name != "help" and listed.count(name) != 1:
            yield "dev: ./dev help lists the command %s %d times" % (name, listed.count(name))
        if name not in tree.dev:
            yield "dev: ./dev help lists %s, which is not a command" % name


def complaints(root, files, chosen=()):
    tree = Tree(root, files)
    checker = Checker(tree)
    for path in chosen or files:
        if path.endswith(".md") and not EXEMPT.search(path):
            for number, complaint in checker.check(path, tree.text(path)):
                yield "%s:%d: %s" % (path, number, complaint)
    if not chosen:
        yield from unlisted_commands(tree)
        for name in sorted((checker.foreign | set(checker.patterns)) - checker.used):
            yield "%s: the documentation does not need %s" % (FOREIGN, name)


def main(arguments):
    files = subprocess.check_output(["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"], text=True).split("\n")
    files = [path for path in files if path and os.path.exists(os.path.join(ROOT, path))]
    found = list(complaints(ROOT, files, arguments))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
