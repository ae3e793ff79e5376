# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.gfile`."""

from reflow.compat.older_names import Walk as Walk
from reflow.io.file_system import GFile as GFile
from reflow.io.file_system import copy as Copy
from reflow.io.file_system import exists as Exists
from reflow.io.file_system import glob as Glob
from reflow.io.file_system import isdir as IsDirectory
from reflow.io.file_system import listdir as ListDirectory
from reflow.io.file_system import makedirs as MakeDirs
from reflow.io.file_system import mkdir as MkDir
from reflow.io.file_system import remove as Remove
from reflow.io.file_system import rename as Rename
from reflow.io.file_system import rmtree as DeleteRecursively
from reflow.io.file_system import stat as Stat

FastGFile = GFile
Open = GFile

__all__ = [
    "Copy", "DeleteRecursively", "Exists", "FastGFile", "GFile", "Glob", "IsDirectory", "ListDirectory", "MakeDirs",
    "MkDir", "Open", "Remove", "Rename", "Stat", "Walk",
]
