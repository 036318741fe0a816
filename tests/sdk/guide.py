#!/usr/bin/env python3
"""The C++ examples of a page: guide.py source GUIDE > PROGRAM.cc; guide.py check GUIDE < OUTPUT.

The blocks marked `cpp` are the body of one program, which prints a line between two of them. A block marked
`text` is what the block before it prints.
"""
import re
import sys

BLOCK = re.compile(r"^```(?P<kind>cpp|text)\n(?P<text>.*?)^```$", re.M | re.S)
MARK = "---- next example"


def examples(guide):
    """Pairs of the source of an example and the words that it prints, or None if the page does not say."""
    found = []
    with open(guide, encoding="utf-8") as file:
        for block in BLOCK.finditer(file.read()):
            if block["kind"] == "cpp":
                found.append([block["text"], None])
            elif not found or found[-1][1] is not None:
                sys.exit(f"{guide}: a block of output follows no example: {block['text']}")
            else:
                found[-1][1] = block["text"].split()
    return found


def program(found):
    includes, body = [], []
    for source, _ in found:
        for line in source.splitlines():
            (includes if line.startswith("#include") else body).append(line)
        body.append(f'std::cout << "\\n{MARK}\\n";')
    return "\n".join([*includes, "int main() {", *body, "return 0;", "}", ""])


def main():
    command, guide = sys.argv[1:]
    found = examples(guide)
    if command == "source":
        sys.stdout.write(program(found))
        return 0
    outputs = sys.stdin.read().split(MARK)[:-1]
    failed = 0
    if len(outputs) != len(found):
        print(f"{guide}: {len(outputs)} of {len(found)} examples were run")
        failed = 1
    for (source, wanted), output in zip(found, outputs):
        if wanted is not None and output.split() != wanted:
            print(f"{guide}: this example prints {output.split()} instead of {wanted}:\n{source}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
