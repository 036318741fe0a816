"""Compares the search paths of resolver contexts with OpenUSD.

Runs in a Python that has usd-core: compare_search_paths.py STAGEDOOR

Asset paths of many forms, in layers of several directories, must lead to the same files for `stagedoor --search-path` and
for a stage opened with Ar.DefaultResolverContext. Prints the differences; the exit status is 1 if there are any.
"""
import itertools
import json
import os
import subprocess
import sys
import tempfile

from pxr import Ar, Usd

# The files below each directory. Each says where it is.
FILES = ["shot/a.usda", "shot/lib/b.usda", "shot/sub/a.usda", "one/a.usda", "one/lib/b.usda", "one/lib/c.usda", "two/a.usda",
         "two/lib/c.usda", "two/d.usda", "two/lib/sub/e.usda", "d.usda"]
# As authored in shot/root.usda and, through it, in shot/sub/below.usda.
PATHS = ["a.usda", "./a.usda", "../a.usda", "lib/b.usda", "./lib/b.usda", "lib/c.usda", "lib/../a.usda", "lib/./c.usda",
         "lib//c.usda", "d.usda", "./d.usda", "../d.usda", "../two/d.usda", "sub/../d.usda", "lib/sub/e.usda", "none.usda",
         "lib/none.usda", "x/../lib/c.usda", ".hidden.usda", "..d.usda"]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write("#usda 1.0\n" + text)


def references(paths):
    return "".join('def "P%d" ( references = @%s@</A> ) {\n}\n' % (i, path) for i, path in enumerate(paths))


def make_scene(folder):
    for name in FILES:
        write(os.path.join(folder, name), 'def "A" {\n string from = "%s"\n}\n' % name)
    write(os.path.join(folder, "shot/root.usda"),
          references(PATHS) + 'def "Below" ( references = @./sub/below.usda@</Below> ) {\n}\n')
    write(os.path.join(folder, "shot/sub/below.usda"), 'def "Below" {\n%s}\n' % references(PATHS))
    return os.path.join(folder, "shot/root.usda")


def attributes():
    for prefix, i in itertools.product(["/", "/Below/"], range(len(PATHS))):
        yield "%sP%d.from" % (prefix, i), PATHS[i]


def openusd(root, search_paths):
    stage = Usd.Stage.Open(root, Ar.DefaultResolverContext(search_paths))
    values = {}
    for path, _ in attributes():
        attribute = stage.GetAttributeAtPath(path)
        values[path] = attribute.Get() if attribute else None
    return values


def stagedoor(program, root, search_paths):
    command = [program, "--embedded", "dump", root, "--times", "default"]
    for path in search_paths:
        command += ["--search-path", path]
    printed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()
    found = {}
    for record in map(json.loads, printed.splitlines()):
        for attribute in record.get("properties", []):
            found["%s.%s" % (record["path"], attribute["name"])] = attribute["values"]["default"]
    return {path: found.get(path) for path, _ in attributes()}


def main(program):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        root = make_scene(os.path.realpath(folder))
        base = os.path.dirname(os.path.dirname(root))
        orders = [[], ["one"], ["two"], ["one", "two"], ["two", "one"], ["none", "one"], ["shot/sub", "two"], ["."]]
        for names in orders:
            search_paths = [os.path.join(base, name) for name in names]
            want, have = openusd(root, search_paths), stagedoor(program, root, search_paths)
            for path, authored in attributes():
                if want[path] != have[path]:
                    failed += 1
                    print("%s: %s (@%s@): OpenUSD finds %s, Stagedoor %s" % (names, path, authored, want[path], have[path]))
            if not any(want.values()):
                failed += 1
                print("%s: OpenUSD finds nothing; the test is broken" % names)
    return failed


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1]) else 0)
