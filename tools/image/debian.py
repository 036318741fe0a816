"""What the build machine's Debian knows about libraries and packages."""
import os
import re
import subprocess


AUTHORITIES = "/usr/share/ca-certificates/"


def libraries(binary):
    """The shared libraries that a program loads, and the loader, as paths."""
    text = subprocess.check_output(["ldd", binary], text=True)
    if "not found" in text:
        raise RuntimeError(f"{binary} needs libraries that are not installed:\n{text}")
    found = re.findall(r"=> (/\S+)", text) + re.findall(r"^\s+(/\S+) \(0x", text, re.M)
    return sorted(set(found))


def canonical(path):
    """The path below /usr by which an image has a library: /lib is a link to /usr/lib there, as in Debian."""
    return path if path.startswith("/usr/") else "/usr" + path


def owners(paths):
    """The packages that installed files, such as libc6:amd64."""
    # Packages may list a file by the name it had before /lib became a link.
    names = {path: (real, real.removeprefix("/usr")) for path in paths for real in [os.path.realpath(path)]}
    query = ["dpkg-query", "-S"] + sorted({name for pair in names.values() for name in pair})
    # Fails if one name is unknown, and prints those of all others.
    lines = subprocess.run(query, capture_output=True, text=True, check=False).stdout.splitlines()
    known = {line.split(": ")[1]: line.split(": ")[0].split(",")[0] for line in lines}
    unknown = [path for path, pair in names.items() if not any(name in known for name in pair)]
    if unknown:
        raise RuntimeError(f"no Debian package has installed {', '.join(unknown)}")
    return {known[name] for pair in names.values() for name in pair if name in known}


def details(packages):
    """Name, version, architecture, source and homepage of each of the installed packages, in their order."""
    fields = ["binary:Package", "Package", "Version", "Architecture", "source:Package", "source:Version", "Homepage"]
    form = "\t".join("${%s}" % field for field in fields) + "\n"
    found = {}
    for line in subprocess.check_output(["dpkg-query", "-W", "-f", form, *packages], text=True).splitlines():
        key, *values = line.split("\t")
        found[key] = found[key.split(":")[0]] = dict(
            zip(("name", "version", "architecture", "source", "source_version", "homepage"), values))
    return [found[package] for package in packages]


def copyright_file(package):
    """The licences of a package, as its /usr/share/doc has them."""
    with open(f"/usr/share/doc/{package.split(':')[0]}/copyright", "rb") as file:
        return file.read()


def certificates():
    """The certificate authorities of the package ca-certificates.

    Not those of /etc/ssl/certs, which on the build machine may include authorities of its own network.
    """
    listed = subprocess.check_output(["dpkg-query", "-L", "ca-certificates"], text=True).split("\n")
    # Elsewhere the package has examples, which are not certificates and keep libraries from reading the rest.
    paths = sorted(path for path in listed if path.startswith(AUTHORITIES) and path.endswith(".crt"))
    if not paths:
        raise RuntimeError("the package ca-certificates has no certificates")
    bundle = b""
    for path in paths:
        with open(path, "rb") as file:
            bundle += file.read().rstrip(b"\n") + b"\n"
    return bundle
