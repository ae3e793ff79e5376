"""`tensorflow.python.tools.module_util`: folders of modules."""

import importlib.util
import os


def get_parent_dir(module):
    """The folder above that of a module's file."""
    return os.path.abspath(os.path.join(os.path.dirname(module.__file__), ".."))


def get_parent_dir_for_name(module_name):
    """The folder of the file of a module, found without importing it if it is in no package; None if there is none."""
    try:
        spec = importlib.util.find_spec(module_name)
    except ImportError:
        return None
    return os.path.dirname(spec.origin) if spec is not None and spec.origin else None
