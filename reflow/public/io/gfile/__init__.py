# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.io.gfile`."""

from reflow.io.file_system import GFile as GFile
from reflow.io.file_system import copy as copy
from reflow.io.file_system import exists as exists
from reflow.io.file_system import get_registered_schemes as get_registered_schemes
from reflow.io.file_system import glob as glob
from reflow.io.file_system import isdir as isdir
from reflow.io.file_system import join as join
from reflow.io.file_system import listdir as listdir
from reflow.io.file_system import makedirs as makedirs
from reflow.io.file_system import mkdir as mkdir
from reflow.io.file_system import remove as remove
from reflow.io.file_system import rename as rename
from reflow.io.file_system import rmtree as rmtree
from reflow.io.file_system import stat as stat
from reflow.io.file_system import walk as walk
