"""`tf.io.gfile`: local files, with TensorFlow's errors."""

from __future__ import annotations

import glob as globbing
import io
import os
import re
import shutil

from reflow.api.export import export, export_value, with_sections
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


class FileIO:
    """A file, opened when it is first read or written: once to read, once to write, each with its own position.

    Positions and lengths count bytes, in text mode too.
    """

    def __init__(self, name, mode, encoding="utf-8"):
        if mode.replace("b", "") not in ("r", "w", "a", "r+", "w+", "a+"):
            raise errors.InvalidArgumentError(None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._name, self._mode, self._encoding = name, mode, encoding
        self._reader = self._writer = None

    name = property(lambda self: self._name)
    mode = property(lambda self: self._mode)

    def _reading(self) -> io.BufferedReader:
        if self._reader is None:
            if not self.readable():
                raise errors.PermissionDeniedError(None, None, "File isn't open for reading")
            with os_errors(self._name):
                self._reader = open(_local(self._name), "rb")  # closed by close()
        return self._reader

    def _writing(self) -> io.IOBase:
        if self._writer is None:
            if not self.writable():
                raise errors.PermissionDeniedError(None, None, "File isn't open for writing")
            with os_errors(self._name):  # as in TensorFlow, "r+" also starts from the beginning
                self._writer = open(_local(self._name), "ab" if "a" in self._mode else "wb")  # closed by close()
        return self._writer

    def _shown(self, content: bytes):
        return content if "b" in self._mode else content.decode(self._encoding)

    def size(self) -> int:
        """Returns the length of the file in bytes.

        Returns:
          An integer.
        """
        return stat(self._name).length

    def read(self, n=-1):
        """Reads what comes next.

        Args:
          n: How many bytes at most; by default all that are left.

        Returns:
          A string, or bytes if the mode has a "b".

        Raises:
          PermissionDeniedError: The file is open for writing only.
        """
        if n < -1:
            raise errors.InvalidArgumentError(None, None, f"Can't read a negative number of bytes: {n}")
        with os_errors(self._name):
            return self._shown(self._reading().read(n))

    def readline(self):
        """Reads the next line.

        Returns:
          The line with its end; empty at the end of the file.
        """
        with os_errors(self._name):
            return self._shown(self._reading().readline())

    def readlines(self) -> list:
        """Reads all lines that are left.

        Returns:
          A list of lines with their ends.
        """
        return list(self)

    def write(self, file_content):
        """Writes at the end of what was written.

        Args:
          file_content: A string, which is encoded as UTF-8, or bytes.

        Raises:
          PermissionDeniedError: The file is open for reading only.
          TypeError: `file_content` is something else.
        """
        if not isinstance(file_content, (str, bytes, bytearray)):
            raise TypeError(f"Expected binary or unicode string, got {file_content!r}")
        content = file_content.encode(self._encoding) if isinstance(file_content, str) else file_content
        with os_errors(self._name):
            self._writing().write(content)

    def seek(self, offset=None, whence=0, position=None):
        """Goes on reading elsewhere.

        Args:
          offset: The number of bytes to go to.
          whence: What it is counted from: 0 the beginning, 1 the current position, 2 the end.
          position: The same as `offset`, an older name.

        Raises:
          OutOfRangeError: That is beyond the end.
          InvalidArgumentError: That is before the beginning, or there is no such `whence`.
        """
        if (offset is None) == (position is None):
            raise TypeError(
                "seek(): offset argument required"
                if offset is None
                else "seek(): offset and position may not be set simultaneously."
            )
        target = position if offset is None else offset
        if whence not in (0, 1, 2):
            raise errors.InvalidArgumentError(
                None, None, f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            )
        reader = self._reading()
        begin = {0: 0, 1: reader.tell(), 2: self.size() if whence == 2 else 0}[whence]
        if begin + target < 0:
            raise errors.InvalidArgumentError(None, None, f"Seeking to a negative position: {begin + target}")
        if begin + target > self.size():
            raise errors.OutOfRangeError(None, None, "reached end of file")
        with os_errors(self._name):
            reader.seek(begin + target)

    def tell(self) -> int:
        """Returns the position in bytes, of the reader if the file can be read.

        Returns:
          An integer.
        """
        return (self._reading() if self.readable() else self._writing()).tell()

    def flush(self):
        """Hands what was written to the operating system."""
        if self._writer is not None:
            with os_errors(self._name):
                self._writer.flush()

    def close(self):
        """Writes what is left, and closes the file; using it opens it again."""
        reader, writer = self._reader, self._writer
        self._reader = self._writer = None
        with os_errors(self._name):
            for file in (reader, writer):
                if file is not None:
                    file.close()

    def seekable(self) -> bool:
        """True: one can move in the file."""
        return True

    def readable(self) -> bool:
        return "r" in self._mode or "+" in self._mode

    def writable(self) -> bool:
        return "r" not in self._mode or "+" in self._mode

    @property
    def closed(self) -> bool:
        return self._reader is None and self._writer is None

    def next(self):
        """The next line; StopIteration at the end."""
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


@export("io.gfile.GFile")
class GFile(FileIO):
    r"""A file, opened when it is first read or written.

    Args:
      name: The path of a local file.
      mode: "r", "w", "a", "r+", "w+" or "a+", with "b" for bytes instead of text. As in TensorFlow, writing with "r+"
        empties the file.

    Raises:
      InvalidArgumentError: There is no such mode.

    >>> import tempfile
    >>> name = tempfile.mkdtemp() + "/a.txt"
    >>> with tf.io.gfile.GFile(name, "w") as file:
    ...     file.write("two\nlines\n")
    >>> with tf.io.gfile.GFile(name) as file:
    ...     file.readlines()
    ['two\n', 'lines\n']
    """

    def __init__(self, name, mode="r"):
        super().__init__(name, mode)


@export("io.gfile.exists")
def exists(path) -> bool:
    """Says whether there is such a file or folder.

    Args:
      path: A local path.

    Returns:
      A bool.

    >>> exists("/")
    True
    """
    return os.path.exists(_local(path))


@export("io.gfile.isdir")
def isdir(path) -> bool:
    """Says whether a path is a folder.

    Args:
      path: A local path.

    Returns:
      A bool; False if there is nothing.

    >>> tf.io.gfile.isdir("/no/such/folder")
    False
    """
    return os.path.isdir(_local(path))


@export("io.gfile.listdir")
def listdir(path) -> list:
    """Returns the names in a folder.

    Args:
      path: The folder.

    Returns:
      A list of names, in no particular order, without "." and "..".

    Raises:
      NotFoundError: There is no such folder.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.mkdir(folder + "/a")
    >>> tf.io.gfile.listdir(folder)
    ['a']
    """
    if not isdir(path):
        raise errors.NotFoundError(None, None, f"Could not find directory {path}")
    return os.listdir(_local(path))


def anchored(pattern: str) -> str:
    """A pattern as TensorFlow matches it: below `./` if it begins with a wildcard; the paths found begin so too."""
    wild = re.search(r"[*?\[\\]", pattern)
    return f"./{pattern}" if wild and "/" not in pattern[: wild.start()] else pattern


@export("io.gfile.glob")
def glob(pattern) -> list:
    """Returns the paths that match a pattern.

    Args:
      pattern: A pattern with `*`, `?` or `[...]`, or a list of patterns.

    Returns:
      A list of paths, sorted for each pattern.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.makedirs(folder + "/a1")
    >>> [path.removeprefix(folder) for path in tf.io.gfile.glob(folder + "/a*")]
    ['/a1']
    """
    patterns = [pattern] if isinstance(pattern, (str, bytes, os.PathLike)) else pattern
    return [p for one in patterns for p in sorted(globbing.glob(anchored(_local(one))))]


_NOTHING = "Returns:\n  None.\n"


def _change(function, path, **options):
    """Call a function of `os` with a path; what fails raises TensorFlow's errors."""
    with os_errors(path):
        function(_local(path), **options)


@export("io.gfile.mkdir")
@with_sections(_NOTHING)
def mkdir(path):
    """Makes one folder, whose parent exists; nothing happens if there is something at `path`.

    Args:
      path: The new folder.

    Raises:
      NotFoundError: The folder above it does not exist.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.mkdir(folder + "/a")
    >>> tf.io.gfile.isdir(folder + "/a")
    True
    """
    if not os.path.lexists(_local(path)):
        _change(os.mkdir, path)


@export("io.gfile.makedirs")
@with_sections(_NOTHING)
def makedirs(path):
    """Makes a folder and those above it; one that exists is fine.

    Args:
      path: The folder.

    Raises:
      FailedPreconditionError: There is a file where a folder has to be.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.makedirs(folder + "/a/b")
    >>> tf.io.gfile.isdir(folder + "/a/b")
    True
    """
    there = _local(path)
    while there and not os.path.lexists(there):
        there = os.path.dirname(there)
    if there and not os.path.isdir(there):
        raise errors.FailedPreconditionError(None, None, f"{there} is not a directory")
    _change(os.makedirs, path, exist_ok=True)


@export("io.gfile.remove")
@with_sections(_NOTHING)
def remove(path):
    """Deletes a file.

    Args:
      path: The file.

    Raises:
      NotFoundError: There is no such file.

    >>> import tempfile
    >>> name = tempfile.mkdtemp() + "/a"
    >>> tf.io.write_file(name, "text")
    >>> tf.io.gfile.remove(name)
    >>> tf.io.gfile.exists(name)
    False
    """
    _change(os.remove, path)


@export("io.gfile.rmtree")
@with_sections(_NOTHING)
def rmtree(path):
    """Deletes a folder with all that is in it.

    Args:
      path: The folder, or a file.

    Raises:
      NotFoundError: There is no such folder.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.makedirs(folder + "/a/b")
    >>> tf.io.gfile.rmtree(folder + "/a")
    >>> tf.io.gfile.listdir(folder)
    []
    """
    local = _local(path)
    if not os.path.lexists(local):
        raise errors.NotFoundError(None, None, f"{local} not found")
    _change(shutil.rmtree if os.path.isdir(local) else os.remove, path)


def _free(dst, overwrite):
    if not overwrite and os.path.exists(_local(dst)):
        raise errors.AlreadyExistsError(None, None, "file already exists")


@export("io.gfile.copy")
@with_sections(_NOTHING)
def copy(src, dst, overwrite=False):
    """Copies a file.

    Args:
      src: The file.
      dst: The path of the copy.
      overwrite: Whether a file at `dst` is replaced.

    Raises:
      AlreadyExistsError: There is a file at `dst`, and `overwrite` is False.
      NotFoundError: There is no file at `src`.

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


@export("io.gfile.rename")
@with_sections(_NOTHING)
def rename(src, dst, overwrite=False):
    """Moves a file or folder.

    Args:
      src: The old path.
      dst: The new path.
      overwrite: Whether a file at `dst` is replaced.

    Raises:
      AlreadyExistsError: There is something at `dst`, and `overwrite` is False.
      NotFoundError: There is nothing at `src`.

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
    """Goes through a folder and those below it.

    Args:
      top: The folder.
      topdown: Whether a folder comes before those in it.
      onerror: A function that is called with the error if a folder cannot be read; by default it is passed over.

    Returns:
      An iterator of tuples: the path of a folder, the names of folders in it, the names of files in it.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.makedirs(folder + "/a/b")
    >>> [(path.removeprefix(folder), folders) for path, folders, files in tf.io.gfile.walk(folder)]
    [('', ['a']), ('/a', ['b']), ('/a/b', [])]
    """
    return os.walk(_local(top), topdown, onerror)


@export("io.gfile.join")
def join(path, *paths) -> str:
    """Joins parts of a path.

    Args:
      path: The first part.
      *paths: The others; an absolute one drops what stands before it.

    Returns:
      The path, a string.

    >>> tf.io.gfile.join("/data", "train", "a.txt")
    '/data/train/a.txt'
    """
    return os.path.join(path, *paths)


class FileStatistics:
    """Length in bytes, time of the last change in nanoseconds, whether it is a folder."""

    def __init__(self, length, mtime_nsec, is_directory):
        self.length, self.mtime_nsec, self.is_directory = length, mtime_nsec, is_directory


@export("io.gfile.stat")
def stat(path) -> FileStatistics:
    """Returns facts about a file.

    Args:
      path: The file or folder.

    Returns:
      An object with `length` (bytes), `mtime_nsec` (when it was changed) and `is_directory`.

    Raises:
      NotFoundError: There is nothing at `path`.

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
    """Returns the kinds of paths that can be read.

    Returns:
      A list of the schemes of URLs; "" stands for plain paths.

    >>> "" in tf.io.gfile.get_registered_schemes()
    True
    """
    return ["", "file"]


export_value(GFile, "compat.v1.gfile.GFile", "compat.v1.gfile.Open", "compat.v1.gfile.FastGFile")
