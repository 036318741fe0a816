"""The bill of materials of a release's archives, in SPDX 2.3; the image has its own (tools/image/sbom.py)."""
import hashlib
import re

import sbom

# `Requires-Dist` of what is always needed; extras have a marker.
REQUIREMENT = re.compile(r"(?m)^Requires-Dist: ([A-Za-z0-9._-]+)([^;\n]*)$")


class Document:
    """Collects archives and what they need."""

    def __init__(self, version):
        self._version = version
        self._packages = {}  # by identifier
        self._files = []
        self._relations = []

    def archive(self, kind, file_name, content):
        """Adds an archive, and returns its identifier."""
        checksums = [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()}]
        ours = sbom.our_package(f"SPDXRef-{kind}", f"stagedoor-{kind}", self._version, "ARCHIVE", packageFileName=file_name,
                                checksums=checksums)
        self._add(ours)
        self._relate("SPDXRef-DOCUMENT", "DESCRIBES", ours)
        return ours["SPDXID"]

    def binary(self, path, content):
        """Adds a program or library by its path, which begins with the name of its archive."""
        file = sbom.program(path, content)
        self._files.append(file)
        # SPDX lets only packages whose files are all listed contain files.
        self._relate("SPDXRef-DOCUMENT", "DESCRIBES", file)

    def debian(self, archive, relation, packages):
        """Adds packages of Debian (debian.details()) that an archive has this relation to."""
        for package in packages:
            self._relate(archive, relation, self._add(sbom.debian_package(package)))

    def requirements(self, archive, metadata):
        """Adds the packages of PyPI that the metadata of a wheel require."""
        for name, versions in REQUIREMENT.findall(metadata):
            # Each of the wheels of the OpenUSD plug-in requires another release.
            release = versions.strip().removeprefix("==") if "==" in versions else ""
            self._relate(archive, "DEPENDS_ON", self._add({
                "SPDXID": "-".join(filter(None, ("SPDXRef-pypi", name, release))), "name": name, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
                "comment": f"the wheel requires {name}{versions.strip()}",
                "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                  "referenceLocator": "@".join(filter(None, (f"pkg:pypi/{name.lower()}", release)))}]}))

    def npm(self, archive, packages):
        """Adds packages of npm that an archive contains parts of: tools/inspector_build.sh lists them."""
        for package in packages:
            name, version = package["name"], package["version"]
            self._relate(archive, "CONTAINS", self._add({
                "SPDXID": f"SPDXRef-npm-{re.sub('[^A-Za-z0-9.-]', '-', name)}", "name": name, "versionInfo": version,
                "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
                "licenseDeclared": package["license"], "copyrightText": "NOASSERTION",
                "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                  "referenceLocator": f"pkg:npm/{name.replace('@', '%40')}@{version}"}]}))

    def text(self, name, created):
        return sbom.text(name, created, list(self._packages.values()), self._files, self._relations)

    def _add(self, package):
        return self._packages.setdefault(package["SPDXID"], package)

    def _relate(self, element, kind, other):
        self._relations.append((element, kind, other["SPDXID"]))
