"""`tf.linalg.LinearOperator` and its subclasses: matrices defined by their action. Start with `base.py`."""

import importlib
import pkgutil


def load_all() -> None:
    """Import every kind of operator, so that its spec is registered: a file names specs, not modules."""
    for found in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(found.name)
