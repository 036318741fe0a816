"""compare_written.py FOLDER: compares the output of write_layers with its sources, using usd-core.

Run with a Python that has usd-core. Standard input has write_layers' lines 'N FILE'. Each FOLDER/N.usda, N.usdc
and N.usdz must open and, printed by OpenUSD, be the same text as FILE. Prints a line per difference and a summary;
the exit status is 0 if there is no difference.
"""
import difflib
import os
import struct
import sys
import zipfile

from pxr import Sdf, Tf


def text(path):
    """The layer as OpenUSD prints it, or the reason why it does not open."""
    try:
        layer = Sdf.Layer.FindOrOpen(path)
        return layer.ExportToString() if layer else "does not open"
    except Tf.ErrorException as error:
        return "does not open: " + str(error)


def through_own_crate(layer, scratch):
    """The layer after OpenUSD itself has written and read it as a crate. None if OpenUSD cannot write it."""
    try:
        layer.Export(scratch)
        return text(scratch)
    except Tf.ErrorException:
        return None
    finally:
        if os.path.exists(scratch):
            os.remove(scratch)


def misaligned(package):
    """Names of files in the package that violate usdz's rules: compressed, or not aligned to 64 bytes."""
    names = []
    with zipfile.ZipFile(package) as archive, open(package, "rb") as raw:
        for entry in archive.infolist():
            raw.seek(entry.header_offset + 26)
            name_size, extra_size = struct.unpack("<HH", raw.read(4))
            start = entry.header_offset + 30 + name_size + extra_size
            if start % 64 or entry.compress_type:
                names.append(entry.filename)
    return names


def difference(source, written):
    lines = difflib.unified_diff(source.splitlines(), written.splitlines(), "source", "written", n=0, lineterm="")
    return "; ".join(line for _, line in zip(range(6), lines))


def compare(layer, written, scratch):
    """What is wrong with one written file, or "" if nothing is."""
    expected, found = layer.ExportToString(), text(written)
    if found != expected and not written.endswith(".usda"):
        # Crates cannot store everything that text can: paths as values, display units, long tangents.
        expected = through_own_crate(layer, scratch)
        if expected is None and not found.startswith("does not open"):
            return ""
    wrong = misaligned(written) if written.endswith(".usdz") else []
    if wrong:
        return f"misaligned or compressed: {wrong}"
    return "" if found == expected else difference(expected or "", found)


def main():
    folder = sys.argv[1]
    compared = differing = 0
    for line in sys.stdin:
        number, source = line.rstrip("\n").split(" ", 1)
        layer = Sdf.Layer.FindOrOpen(source)
        if not layer:
            continue  # usd-core cannot open the source
        for extension in ["usda", "usdc", "usdz"]:
            written = os.path.join(folder, number + "." + extension)
            wrong = compare(layer, written, os.path.join(folder, f"own-{number}-{extension}.usdc"))
            compared += 1
            if wrong:
                differing += 1
                print(f"{source} as {extension}: {wrong}")
    print(f"{compared} compared, {differing} differ")
    return 1 if differing or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
