"""Where compiled libraries are kept, so that the next process need not compile them again.

A library is code that runs in the user's name. So the folder and every file in it must be the user's own, and nobody else may write them; the
folder is made for its owner alone. Beside each library `NAME.so` stands its checksum, `NAME.so.sha256`. A library that was cut short or changed
does not fit it, and counts as absent: loading it could end the process (SIGBUS) or run what somebody else wrote. `NAME.failed` holds what the
compiler said when it failed, so that not every process asks it again.

Files appear whole or not at all: they are written under another name, brought to the disk, and renamed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]


class NoCache(Exception):
    """A folder cannot be trusted with libraries."""


def candidates() -> Iterator[Path]:
    """Where the folder may be, best first. A relative `XDG_CACHE_HOME` is ignored, as its specification asks: it would be another folder in
    each working directory, and in some of these anybody may write."""
    chosen = os.environ.get("XDG_CACHE_HOME") or ""
    if os.path.isabs(chosen):
        yield Path(chosen) / "reflow"
    else:
        with contextlib.suppress(RuntimeError):  # no HOME, and the user is in no list of users: common in containers
            home = Path.home()
            if home.is_absolute():
                yield home / ".cache" / "reflow"
    yield Path(tempfile.gettempdir()) / f"reflow-{os.geteuid()}"


class Cache:
    """A folder of libraries that belongs to this user."""

    def __init__(self, folder: Path):
        """Make the folder if it is not there; NoCache if it cannot be trusted."""
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            info = folder.lstat()
            if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid():
                raise NoCache(f"{folder} is not a folder of this user's")
            if info.st_mode & 0o077:
                folder.chmod(0o700)
        except OSError as error:
            raise NoCache(f"{folder} cannot be used: {error}") from None
        self.folder = folder

    # --- libraries

    def find(self, name: str) -> Path | None:
        """The library of this name, if it is there, our own and whole."""
        content, checksum = self.read(name), self.read(f"{name}.sha256")
        if content is None or checksum is None or _checksum(content) != checksum:
            return None
        return self.folder / name

    def newest(self, pattern: str) -> Path | None:
        """The newest library whose name matches, if there is one that `find` would give."""
        found = [path for path in self.folder.glob(pattern) if self.find(path.name)]
        return max(found, key=lambda path: path.stat().st_mtime, default=None)

    def keep(self, name: str, content: bytes) -> Path:
        """Put a library there. The checksum comes first: until the library follows, the two do not fit, and nothing is loaded."""
        self.write(f"{name}.sha256", _checksum(content))
        return self.write(name, content)

    # --- files

    def read(self, name: str) -> bytes | None:
        """What is in a file, if it is a file of ours that nobody else may write."""
        try:  # no link is followed, and a pipe does not block
            descriptor = os.open(self.folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        with open(descriptor, "rb") as file:
            info = os.fstat(descriptor)
            own = stat.S_ISREG(info.st_mode) and info.st_uid == os.geteuid() and not info.st_mode & 0o022
            return file.read() if own else None

    def write(self, name: str, content: bytes) -> Path:
        """Write a file whole or not at all: another process, or a loss of power, sees the old one or the new one."""
        descriptor, made = tempfile.mkstemp(dir=self.folder)  # readable and writable for its owner only
        try:
            with open(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(descriptor)
            os.replace(made, self.folder / name)
        except BaseException:
            os.unlink(made)
            raise
        self._sync()
        return self.folder / name

    def remove(self, name: str):
        with contextlib.suppress(FileNotFoundError):
            (self.folder / name).unlink()

    def _sync(self):
        folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    @contextlib.contextmanager
    def lock(self):
        """Only one process at a time is in here. Some network folders know no locks: there several may compile, each for itself."""
        descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)  # which unlocks it, as the end of the process does


def _checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
