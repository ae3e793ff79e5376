"""A cache for compiled libraries, so that later processes need not compile them again.

A library is code that runs with the user's rights. So the folder and every file in it must belong to the user, and
nobody else may have write access; the folder is created with access for its owner only. Each library `NAME.so` has its
checksum in `NAME.so.sha256`. A truncated or modified library does not match it and counts as absent: loading it could
crash the process (SIGBUS) or run foreign code. `NAME.failed` holds the compiler's output after a failure, so that not
every process tries again.

Files are written atomically: under another name, synced to disk, then renamed.
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
    """Candidate folders, best first.

    A relative `XDG_CACHE_HOME` is ignored, as its specification requires: it would be another folder in each working
    directory, and some of these are writable by anybody.
    """
    chosen = os.environ.get("XDG_CACHE_HOME") or ""
    if os.path.isabs(chosen):
        yield Path(chosen) / "reflow"
    else:
        # no HOME, and the user is not in the user database: common in containers
        with contextlib.suppress(RuntimeError):
            home = Path.home()
            if home.is_absolute():
                yield home / ".cache" / "reflow"
    yield Path(tempfile.gettempdir()) / f"reflow-{os.geteuid()}"


class Cache:
    """A folder of libraries that belongs to this user."""

    def __init__(self, folder: Path):
        """Create the folder if it does not exist; NoCache if it cannot be trusted."""
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
        """The library of this name, if it exists, belongs to us and is intact."""
        content, checksum = self.read(name), self.read(f"{name}.sha256")
        if content is None or checksum is None or _checksum(content) != checksum:
            return None
        return self.folder / name

    def newest(self, pattern: str) -> Path | None:
        """The newest library whose name matches, if there is one that `find` would return."""
        found = [path for path in self.folder.glob(pattern) if self.find(path.name)]
        return max(found, key=lambda path: path.stat().st_mtime, default=None)

    def keep(self, name: str, content: bytes) -> Path:
        """Store a library. The checksum is written first.

        Until the library follows, the two do not match, and nothing is loaded.
        """
        self.write(f"{name}.sha256", _checksum(content))
        return self.write(name, content)

    # --- files

    def read(self, name: str) -> bytes | None:
        """The contents of a file, if it belongs to us and nobody else can write it."""
        try:  # links are not followed, and a pipe does not block
            descriptor = os.open(self.folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        with open(descriptor, "rb") as file:
            info = os.fstat(descriptor)
            own = stat.S_ISREG(info.st_mode) and info.st_uid == os.geteuid() and not info.st_mode & 0o022
            return file.read() if own else None

    def write(self, name: str, content: bytes) -> Path:
        """Write a file atomically: another process, or a power loss, sees the old file or the new one."""
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
        """Held by one process at a time. Some network folders do not support locks: there several processes may compile
        independently.
        """
        descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)  # releases the lock, as the end of the process does


def _checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
