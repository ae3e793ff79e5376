"""`tf.io.gfile`: files of this machine, with TensorFlow's errors."""

from __future__ import annotations

import glob as globbing
import io
import os
import shutil

from reflow.api.export import export, export_value
from reflow.core import errors
from reflow.core.os_errors import os_errors


def _local(path) -> str:
    """A path as a string; `file://` is dropped."""
    path = os.fspath(path)
    text = path.decode() if isinstance(path, bytes) else path
    if "://" in text and not text.startswith("file://"):
        scheme = text.split("://")[0]
        raise errors.UnimplementedError(None, None, f"File system scheme '{scheme}' not implemented (file: '{text}')")
    return text.removeprefix("file://")


@export("io.gfile.GFile")
class GFile:
    r"""A file, opened when it is first read or written.

    >>> import tempfile
    >>> name = tempfile.mkdtemp() + "/a.txt"
    >>> with tf.io.gfile.GFile(name, "w") as file:
    ...     file.write("two\nlines\n")
    >>> with tf.io.gfile.GFile(name) as file:
    ...     file.readlines()
    ['two\n', 'lines\n']
    """

    def __init__(self, name, mode="r"):
        if mode.replace("b", "") not in ("r", "w", "a", "r+", "w+", "a+"):
            raise errors.InvalidArgumentError(
                None, None, f"mode must be one of r, w, a, r+, w+, a+ with b. Received: mode={mode!r}"
            )
        self._name, self._mode, self._file = name, mode, None

    name = property(lambda self: self._name)
    mode = property(lambda self: self._mode)

    def _open(self) -> io.IOBase:
        if self._file is None:
            with os_errors(self._name):
                self._file = open(_local(self._name), self._mode)  # closed by close()
        return self._file

    def size(self) -> int:
        """The length in bytes."""
        return stat(self._name).length

    def read(self, n=-1):
        """At most `n` bytes or characters; all that are left by default."""
        with os_errors(self._name):
            return self._open().read(n)

    def readline(self):
        with os_errors(self._name):
            return self._open().readline()

    def readlines(self) -> list:
        with os_errors(self._name):
            return self._open().readlines()

    def write(self, file_content):
        with os_errors(self._name):
            self._open().write(file_content)

    def seek(self, offset=None, whence=0, position=None):
        with os_errors(self._name):
            self._open().seek(position if offset is None else offset, whence)

    def tell(self) -> int:
        return self._open().tell()

    def flush(self):
        if self._file is not None:
            with os_errors(self._name):
                self._file.flush()

    def close(self):
        if self._file is None and ("w" in self._mode or "a" in self._mode):
            self._open()
        if self._file is not None:
            file, self._file = self._file, None
            with os_errors(self._name):
                file.close()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return "r" in self._mode or "+" in self._mode

    def writable(self) -> bool:
        return "r" not in self._mode or "+" in self._mode

    @property
    def closed(self) -> bool:
        return self._file is None

    def next(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    __next__ = next

    def __iter__(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


@export("io.gfile.exists", "compat.v1.gfile.Exists")
def exists(path) -> bool:
    """Whether there is such a file or folder.

    >>> exists("/")
    True
    """
    return os.path.exists(_local(path))


@export("io.gfile.isdir", "compat.v1.gfile.IsDirectory")
def isdir(path) -> bool:
    """Whether a path is a folder.

    >>> tf.io.gfile.isdir("/no/such/folder")
    False
    """
    return os.path.isdir(_local(path))


@export("io.gfile.listdir", "compat.v1.gfile.ListDirectory")
def listdir(path) -> list:
    """The names in a folder.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.mkdir(folder + "/a")
    >>> tf.io.gfile.listdir(folder)
    ['a']
    """
    if not isdir(path):
        raise errors.NotFoundError(None, None, f"Could not find directory {path}")
    return os.listdir(_local(path))


@export("io.gfile.glob", "compat.v1.gfile.Glob")
def glob(pattern) -> list:
    """The paths that match a pattern, or a list of patterns.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.makedirs(folder + "/a1")
    >>> [path.removeprefix(folder) for path in tf.io.gfile.glob(folder + "/a*")]
    ['/a1']
    """
    patterns = [pattern] if isinstance(pattern, (str, bytes, os.PathLike)) else pattern
    return [p for one in patterns for p in sorted(globbing.glob(_local(one)))]


@export("io.gfile.mkdir", "compat.v1.gfile.MkDir")
def mkdir(path):
    """Make one folder, whose parent exists.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.mkdir(folder + "/a")
    >>> tf.io.gfile.isdir(folder + "/a")
    True
    """
    with os_errors(path):
        os.mkdir(_local(path))


@export("io.gfile.makedirs", "compat.v1.gfile.MakeDirs")
def makedirs(path):
    """Make a folder and those above it.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.makedirs(folder + "/a/b")
    >>> tf.io.gfile.isdir(folder + "/a/b")
    True
    """
    with os_errors(path):
        os.makedirs(_local(path), exist_ok=True)


@export("io.gfile.remove", "compat.v1.gfile.Remove")
def remove(path):
    """Delete a file.

    >>> import tempfile
    >>> name = tempfile.mkdtemp() + "/a"
    >>> tf.io.write_file(name, "text")
    >>> tf.io.gfile.remove(name)
    >>> tf.io.gfile.exists(name)
    False
    """
    with os_errors(path):
        os.remove(_local(path))


@export("io.gfile.rmtree", "compat.v1.gfile.DeleteRecursively")
def rmtree(path):
    """Delete a folder with all that is in it.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.makedirs(folder + "/a/b")
    >>> tf.io.gfile.rmtree(folder + "/a")
    >>> tf.io.gfile.listdir(folder)
    []
    """
    with os_errors(path):
        shutil.rmtree(_local(path)) if os.path.isdir(_local(path)) else os.remove(_local(path))


def _free(dst, overwrite):
    if not overwrite and os.path.exists(_local(dst)):
        raise errors.AlreadyExistsError(None, None, "file already exists")


@export("io.gfile.copy", "compat.v1.gfile.Copy")
def copy(src, dst, overwrite=False):
    """Copy a file.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(folder + "/a", "text")
    >>> tf.io.gfile.copy(folder + "/a", folder + "/b")
    >>> sorted(tf.io.gfile.listdir(folder))
    ['a', 'b']
    """
    _free(dst, overwrite)
    with os_errors(src):
        shutil.copyfile(_local(src), _local(dst))


@export("io.gfile.rename", "compat.v1.gfile.Rename")
def rename(src, dst, overwrite=False):
    """Move a file or folder.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.mkdir(folder + "/a")
    >>> tf.io.gfile.rename(folder + "/a", folder + "/b")
    >>> tf.io.gfile.listdir(folder)
    ['b']
    """
    _free(dst, overwrite)
    with os_errors(src):
        os.replace(_local(src), _local(dst))


@export("io.gfile.walk")
def walk(top, topdown=True, onerror=None):
    """(folder, folders in it, files in it), for a folder and those below it.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.makedirs(folder + "/a/b")
    >>> [(path.removeprefix(folder), folders) for path, folders, files in tf.io.gfile.walk(folder)]
    [('', ['a']), ('/a', ['b']), ('/a/b', [])]
    """
    return os.walk(_local(top), topdown, onerror)


@export("io.gfile.join")
def join(path, *paths) -> str:
    """Parts of a path as one.

    >>> tf.io.gfile.join("/data", "train", "a.txt")
    '/data/train/a.txt'
    """
    return os.path.join(path, *paths)


class FileStatistics:
    """Length in bytes, time of the last change in nanoseconds, whether it is a folder."""

    def __init__(self, length, mtime_nsec, is_directory):
        self.length, self.mtime_nsec, self.is_directory = length, mtime_nsec, is_directory


@export("io.gfile.stat", "compat.v1.gfile.Stat")
def stat(path) -> FileStatistics:
    """Facts about a file.

    >>> import tempfile
    >>> name = tempfile.mkdtemp() + "/a"
    >>> tf.io.write_file(name, "text")
    >>> tf.io.gfile.stat(name).length
    4
    """
    with os_errors(path):
        found = os.stat(_local(path))
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(_local(path)))


@export("io.gfile.get_registered_schemes")
def get_registered_schemes() -> list:
    """The kinds of paths that can be read.

    >>> "" in tf.io.gfile.get_registered_schemes()
    True
    """
    return ["", "file"]


export_value(GFile, "compat.v1.gfile.GFile", "compat.v1.gfile.Open", "compat.v1.gfile.FastGFile")
