# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.gfile`."""

from reflow.compat.gfile import copy as Copy
from reflow.compat.gfile import exists as Exists
from reflow.compat.gfile import glob as Glob
from reflow.compat.gfile import isdir as IsDirectory
from reflow.compat.gfile import listdir as ListDirectory
from reflow.compat.gfile import makedirs as MakeDirs
from reflow.compat.gfile import mkdir as MkDir
from reflow.compat.gfile import remove as Remove
from reflow.compat.gfile import rename as Rename
from reflow.compat.gfile import rmtree as DeleteRecursively
from reflow.compat.gfile import stat as Stat
from reflow.compat.older_names import Walk as Walk
from reflow.io.file_system import GFile as GFile

FastGFile = GFile
Open = GFile

__all__ = [
    "Copy", "DeleteRecursively", "Exists", "FastGFile", "GFile", "Glob", "IsDirectory", "ListDirectory", "MakeDirs",
    "MkDir", "Open", "Remove", "Rename", "Stat", "Walk",
]
