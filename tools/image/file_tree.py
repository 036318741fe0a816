"""A tree of files that is written to a directory or a tar archive, with the same bytes every time."""
import dataclasses
import io
import os
import tarfile


@dataclasses.dataclass(frozen=True)
class Entry:
    """A directory, a link (if `target` is set) or a file (if `content` is not None)."""

    mode: int
    owner: int = 0  # of user and group
    content: bytes = None
    target: str = None


class FileTree:
    """Entries by path, without a slash in front. Parent directories are added as needed."""

    def __init__(self):
        self.entries = {}

    def directory(self, path, mode=0o755, owner=0):
        self._parents(path)
        self.entries[path] = Entry(mode, owner)

    def file(self, path, content, mode=0o644):
        self._parents(path)
        self.entries[path] = Entry(mode, content=content)

    def link(self, path, target):
        self._parents(path)
        self.entries[path] = Entry(0o777, target=target)

    def size(self):
        return sum(len(entry.content) for entry in self.entries.values() if entry.content is not None)

    def files(self):
        """(path, content, mode) of each file in the order of paths, and of each link as a copy of the file that it leads to."""
        for path, entry in sorted(self.entries.items()):
            if entry.target is not None:
                entry = self._linked(path)
            if entry.content is not None:
                yield path, entry.content, entry.mode

    def write_to(self, folder):
        """Writes the tree below a new directory. Owners other than the caller need root."""
        os.makedirs(folder)
        os.chmod(folder, 0o755)
        for path, entry in sorted(self.entries.items()):
            full = os.path.join(folder, path)
            if entry.target is not None:
                os.symlink(entry.target, full)
                continue
            if entry.content is None:
                os.mkdir(full)
            else:
                with open(full, "wb") as file:
                    file.write(entry.content)
            os.chmod(full, entry.mode)
            if os.geteuid() == 0:
                os.chown(full, entry.owner, entry.owner)

    def tar(self, time):
        """The bytes of a tar archive in which everything has the time `time`, in seconds."""
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for path, entry in sorted(self.entries.items()):
                info = tarfile.TarInfo(path)
                info.mode, info.mtime, info.uid, info.gid = entry.mode, time, entry.owner, entry.owner
                if entry.target is not None:
                    info.type, info.linkname = tarfile.SYMTYPE, entry.target
                elif entry.content is None:
                    info.type = tarfile.DIRTYPE
                else:
                    info.size = len(entry.content)
                archive.addfile(info, None if entry.content is None else io.BytesIO(entry.content))
        return buffer.getvalue()

    def _linked(self, path):
        """The file that a link leads to, over any number of links."""
        place, seen = path, set()
        while (entry := self.entries.get(place)) is not None and entry.target is not None and place not in seen:
            seen.add(place)
            place = os.path.normpath(os.path.join(os.path.dirname(place), entry.target)).lstrip("/")
        if entry is None or entry.content is None:
            raise ValueError(f"the link {path} does not lead to a file of the tree")
        return entry

    def _parents(self, path):
        parent = os.path.dirname(path)
        if parent and parent not in self.entries:
            self.directory(parent)
