"""`tf.compat.v1.gfile`: the functions of `tf.io.gfile`, with the names that version 1 has for their arguments."""

from __future__ import annotations

from reflow.compat.reordered import reordered
from reflow.io import file_system

exists = reordered(file_system.exists, "filename>path", "gfile.Exists", example="""
    >>> tf.compat.v1.gfile.Exists(filename="/no/such/file")
    False
""")
isdir = reordered(file_system.isdir, "dirname>path", "gfile.IsDirectory", example="""
    >>> tf.compat.v1.gfile.IsDirectory(dirname="/")
    True
""")
listdir = reordered(file_system.listdir, "dirname>path", "gfile.ListDirectory", example="""
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.io.gfile.GFile(folder + "/a.txt", "w") as file:
    ...         file.write("text")
    ...     tf.compat.v1.gfile.ListDirectory(dirname=folder)
    ['a.txt']
""")
glob = reordered(file_system.glob, "filename>pattern", "gfile.Glob", example="""
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.io.gfile.GFile(folder + "/a.txt", "w") as file:
    ...         file.write("text")
    ...     len(tf.compat.v1.gfile.Glob(filename=folder + "/*.txt"))
    1
""")
mkdir = reordered(file_system.mkdir, "dirname>path", "gfile.MkDir", example="""
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.compat.v1.gfile.MkDir(dirname=folder + "/inner")
    ...     tf.compat.v1.gfile.IsDirectory(folder + "/inner")
    True
""")
makedirs = reordered(file_system.makedirs, "dirname>path", "gfile.MakeDirs", example="""
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.compat.v1.gfile.MakeDirs(dirname=folder + "/one/two")
    ...     tf.compat.v1.gfile.IsDirectory(folder + "/one/two")
    True
""")
remove = reordered(file_system.remove, "filename>path", "gfile.Remove", example="""
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.io.gfile.GFile(folder + "/a.txt", "w") as file:
    ...         file.write("text")
    ...     tf.compat.v1.gfile.Remove(filename=folder + "/a.txt")
    ...     tf.compat.v1.gfile.ListDirectory(folder)
    []
""")
rmtree = reordered(file_system.rmtree, "dirname>path", "gfile.DeleteRecursively", example="""
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.compat.v1.gfile.MakeDirs(folder + "/one/two")
    ...     tf.compat.v1.gfile.DeleteRecursively(dirname=folder + "/one")
    ...     tf.compat.v1.gfile.ListDirectory(folder)
    []
""")
copy = reordered(file_system.copy, "oldpath>src newpath>dst overwrite", "gfile.Copy", example="""
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.io.gfile.GFile(folder + "/a.txt", "w") as file:
    ...         file.write("text")
    ...     tf.compat.v1.gfile.Copy(oldpath=folder + "/a.txt", newpath=folder + "/b.txt")
    ...     sorted(tf.compat.v1.gfile.ListDirectory(folder))
    ['a.txt', 'b.txt']
""")
rename = reordered(file_system.rename, "oldname>src newname>dst overwrite", "gfile.Rename", example="""
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.io.gfile.GFile(folder + "/a.txt", "w") as file:
    ...         file.write("text")
    ...     tf.compat.v1.gfile.Rename(oldname=folder + "/a.txt", newname=folder + "/b.txt")
    ...     tf.compat.v1.gfile.ListDirectory(folder)
    ['b.txt']
""")
stat = reordered(file_system.stat, "filename>path", "gfile.Stat", example="""
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.io.gfile.GFile(folder + "/a.txt", "w") as file:
    ...         file.write("text")
    ...     tf.compat.v1.gfile.Stat(filename=folder + "/a.txt").length
    4
""")
