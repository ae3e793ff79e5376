"""`tf.compat.v1.gfile`: the functions of `tf.io.gfile`, with version 1's argument names."""

from __future__ import annotations

from reflow.compat.reordered import reordered
from reflow.io import file_system


def _in_a_folder(*calls: str) -> str:
    """An example with a temporary folder that holds one file: the calls, and what the last of them shows."""
    lines = "".join(f"\n...     {call}" for call in calls[:-1])
    made = '...     with tf.io.gfile.GFile(folder + "/a.txt", "w") as file:\n...         file.write("text")'
    return f">>> import tempfile\n>>> with tempfile.TemporaryDirectory() as folder:\n{made}{lines}\n{calls[-1]}"


exists = reordered(file_system.exists, "filename>path", "gfile.Exists", example=_in_a_folder(
    'tf.compat.v1.gfile.Exists(filename=folder + "/b.txt")', "False"
))
isdir = reordered(file_system.isdir, "dirname>path", "gfile.IsDirectory", example=_in_a_folder(
    "tf.compat.v1.gfile.IsDirectory(dirname=folder)", "True"
))
listdir = reordered(file_system.listdir, "dirname>path", "gfile.ListDirectory", example=_in_a_folder(
    "tf.compat.v1.gfile.ListDirectory(dirname=folder)", "['a.txt']"
))
glob = reordered(file_system.glob, "filename>pattern", "gfile.Glob", example=_in_a_folder(
    'len(tf.compat.v1.gfile.Glob(filename=folder + "/*.txt"))', "1"
))
mkdir = reordered(file_system.mkdir, "dirname>path", "gfile.MkDir", example=_in_a_folder(
    'tf.compat.v1.gfile.MkDir(dirname=folder + "/b")', 'tf.compat.v1.gfile.IsDirectory(folder + "/b")', "True"
))
makedirs = reordered(file_system.makedirs, "dirname>path", "gfile.MakeDirs", example=_in_a_folder(
    'tf.compat.v1.gfile.MakeDirs(dirname=folder + "/b/c")', 'tf.compat.v1.gfile.IsDirectory(folder + "/b/c")', "True"
))
remove = reordered(file_system.remove, "filename>path", "gfile.Remove", example=_in_a_folder(
    'tf.compat.v1.gfile.Remove(filename=folder + "/a.txt")', "tf.compat.v1.gfile.ListDirectory(folder)", "[]"
))
rmtree = reordered(file_system.rmtree, "dirname>path", "gfile.DeleteRecursively", example=_in_a_folder(
    "tf.compat.v1.gfile.DeleteRecursively(dirname=folder)", "tf.compat.v1.gfile.Exists(folder)",
    "tf.compat.v1.gfile.MkDir(folder)", "False",
))
copy = reordered(file_system.copy, "oldpath>src newpath>dst overwrite", "gfile.Copy", example=_in_a_folder(
    'tf.compat.v1.gfile.Copy(oldpath=folder + "/a.txt", newpath=folder + "/b.txt")',
    "sorted(tf.compat.v1.gfile.ListDirectory(folder))", "['a.txt', 'b.txt']",
))
rename = reordered(file_system.rename, "oldname>src newname>dst overwrite", "gfile.Rename", example=_in_a_folder(
    'tf.compat.v1.gfile.Rename(oldname=folder + "/a.txt", newname=folder + "/b.txt")',
    "tf.compat.v1.gfile.ListDirectory(folder)", "['b.txt']",
))
stat = reordered(file_system.stat, "filename>path", "gfile.Stat", example=_in_a_folder(
    'tf.compat.v1.gfile.Stat(filename=folder + "/a.txt").length', "4"
))
