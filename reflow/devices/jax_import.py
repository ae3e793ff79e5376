"""Keeps `import jax` from changing NumPy's random state.

A module of JAX draws from NumPy's global generator while it is imported (`np.random.rand(5)`, default delays of a
function). Reflow imports JAX when it is first needed, which is in the middle of a program that may have called
`np.random.seed`.
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

import numpy as np


class JaxFinder(importlib.abc.MetaPathFinder):
    """Finds JAX as all others do, once, and lets it be loaded with NumPy's generator kept as it is."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != "jax":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = functools.partial(_keeping_state, spec.loader.exec_module)
            setattr(spec.loader, "exec_module", load)  # noqa: B010 - of this one loader
        return spec


def _keeping_state(load: Callable[[ModuleType], None], module: ModuleType) -> None:
    state = np.random.get_state()
    try:
        load(module)
    finally:
        np.random.set_state(state)


def install() -> None:
    """Install the finder before the others, unless JAX is already imported."""
    if "jax" not in sys.modules:
        sys.meta_path.insert(0, JaxFinder())
