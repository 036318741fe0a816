"""Bills of materials in SPDX 2.3: that of an image, and what others have in common with it."""
import hashlib
import json
import re
import time

LICENCE_NOTE = "See /usr/share/doc/%s/copyright in the image, in the daemon's wheel and wherever the package is installed."


def _timestamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def debian_package(package):
    reference = "pkg:deb/debian/%s@%s?arch=%s&distro=debian-12" % (
        package["name"].replace("+", "%2B"), package["version"].replace("+", "%2B").replace(":", "%3A"),
        package["architecture"])
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", package["name"].replace("+", "p")),
        "name": package["name"],
        "versionInfo": package["version"],
        "supplier": "Organization: Debian",
        "sourceInfo": f"built from the Debian source package {package['source']} {package['source_version']}",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "homepage": package["homepage"] or "NOASSERTION",
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "licenseComments": LICENCE_NOTE % package["name"],
        "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": reference}],
    }


def program(path, content):
    return {
        "SPDXID": "SPDXRef-File-" + path.rsplit("/", 1)[1],
        "fileName": "./" + path,
        "fileTypes": ["BINARY"],
        "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(content).hexdigest()},
                      {"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()}],
        "licenseConcluded": "NOASSERTION",
        "licenseInfoInFiles": ["NOASSERTION"],
        "copyrightText": "NOASSERTION",
    }


def our_package(identifier, name, version, purpose, **fields):
    """A package of ours: an image, an archive. `fields` are added as they are."""
    return {
        "SPDXID": identifier, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
        "supplier": "Organization: Stagedoor", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", "primaryPackagePurpose": purpose, **fields,
    }


def text(name, created, packages, files, relations):
    """The text of a document; `relations` are (element, relation, element). Its namespace depends on all of it."""
    content = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "creationInfo": {"created": _timestamp(created), "creators": ["Tool: stagedoor-dev-image"]},
        "packages": packages,
        "files": files,
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                          for a, kind, b in relations],
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    content["documentNamespace"] = f"https://stagedoor.invalid/spdx/{name}-{digest}"
    return json.dumps(content, indent=1, sort_keys=True) + "\n"


def document(version, created, programs, packages, compiled_in):
    """The text of the document of an image.

    `programs` are our binaries (content by path), `packages` and `compiled_in` Debian's (see debian.details()): those of which
    the image has files, and those of which code was compiled into the binaries.
    """
    ours = our_package("SPDXRef-stagedoor", "stagedoor", version, "CONTAINER")
    theirs = [debian_package(package) for package in packages]
    headers = [debian_package(package) for package in compiled_in]
    files = [program(path, content) for path, content in sorted(programs.items())]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", ours["SPDXID"])]
    relations += [("SPDXRef-DOCUMENT", "DESCRIBES", part["SPDXID"]) for part in files]
    relations += [(ours["SPDXID"], "CONTAINS", part["SPDXID"]) for part in theirs]
    relations += [(ours["SPDXID"], "STATIC_LINK", part["SPDXID"]) for part in headers]
    return text(f"stagedoor-{version}", created, [ours] + theirs + headers, files, relations)
