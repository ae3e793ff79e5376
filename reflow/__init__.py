"""Reflow: TensorFlow 2, reimplemented from scratch in readable Python on JAX and XLA.

    import reflow as tf

The modules of `reflow/public/` are the public namespaces: each imports its names from where they are defined.
"""

# ruff: noqa: F401, F403 - this is what users see
import importlib as _importlib
import sys as _sys

from reflow import loading as _loading
from reflow.core import namespaces as _namespaces
from reflow.core.version import REFLOW as __version__
from reflow.devices import host_memory as _host_memory
from reflow.devices import jax_import as _jax_import
from reflow.devices import placement as _placement

globals().update(_namespaces.loaded(""))
_OWN = ("datasets", "engine", "keras", "onnx")  # modules of ours that are loaded when they are asked for
_OF_KERAS = ("initializers", "losses", "metrics", "optimizers")  # modules of Keras that TensorFlow has at its top level

_sys.meta_path.append(_namespaces.NamespaceFinder())
_jax_import.install()
_host_memory.keep_freed_memory()
_placement.loaded()  # what was made until here is not the user's


def install_as_tensorflow() -> None:
    """Make `import tensorflow` and `import keras` use Reflow, in this process and those it spawns.

    Call it before either is imported. Calling it again does nothing. A real TensorFlow may be installed
    beside, but not imported already; Keras may be imported already only with its TensorFlow backend on
    Reflow.
    """
    from reflow.drop_in import install

    install.install_as_tensorflow()


def load_ipython_extension(ipython) -> None:
    """`%load_ext reflow`: from here on `import tensorflow` finds Reflow in this notebook."""
    install_as_tensorflow()


def __getattr__(name: str):
    # Keras takes a second to import, so it is imported on first access
    if name in _OWN:
        return _importlib.import_module(f"reflow.{name}")
    if name in _OF_KERAS:
        return getattr(_importlib.import_module("reflow.keras"), name)
    if name == "__all__":  # of `from reflow import *`
        return _importlib.import_module("reflow.public").__all__
    found = globals()[name] = _namespaces.find("", name)
    return found


def __dir__():
    return sorted([*_namespaces.names_in(""), *_OF_KERAS, *_OWN, "__version__", "install_as_tensorflow"])
