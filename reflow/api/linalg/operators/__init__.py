"""`tf.linalg.LinearOperator` and its kinds: matrices that are known by what they do. `base.py` is the place to begin."""

import importlib
import pkgutil


def load_all() -> None:
    """Import every kind of operator, so that its spec is registered: a file names specs, not modules."""
    for found in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(found.name)
