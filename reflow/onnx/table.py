"""The table of conversions: ONNX operator -> function that does the same with Reflow's ops.

A *conversion* is a function `convert(node, *inputs)`. `node` (`node.py`) holds the attributes and the version of the
operator set; `inputs` are tensors, `None` for an omitted optional input, or lists of tensors for ONNX' sequences. It
returns a value, or a tuple of several. Conversions call public functions, so they can build a graph or compute eagerly.

They are in `reflow/onnx/operators/`, one file per family, and are loaded when the first model is read.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

Conversion = Callable[..., Any]

STANDARD = ""  # the domain of ONNX' own operators; "ai.onnx" is another name for it
CLASSIC = "ai.onnx.ml"  # trees, encoders and other models that are not networks
TRAINING = "ai.onnx.preview.training"

_conversions: dict[tuple[str, str], Conversion] = {}
_random: set[tuple[str, str]] = set()


def operator(*names: str, domain: str = STANDARD, random: bool = False) -> Callable[[Conversion], Conversion]:
    """Register a conversion for these operators.

    `random`: it draws numbers, so it is never computed while a model is read.
    """

    def register(convert: Conversion) -> Conversion:
        for name in names:
            if (domain, name) in _conversions:
                raise ValueError(f"The ONNX operator {name} has two conversions.")
            _conversions[domain, name] = convert
            if random:
                _random.add((domain, name))
        return convert

    return register


@functools.cache
def load(package: str) -> None:
    """Import the modules of a package, which register their conversions."""
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        importlib.import_module(module.name)


def canonical(domain: str) -> str:
    return STANDARD if domain == "ai.onnx" else domain


def conversion(domain: str, name: str) -> Conversion | None:
    """The conversion of an operator, if there is one."""
    load("reflow.onnx.operators")
    return _conversions.get((canonical(domain), name))


def is_random(domain: str, name: str) -> bool:
    """Whether an operator draws numbers."""
    return (canonical(domain), name) in _random


def supported_operators(domain: str = STANDARD) -> list[str]:
    """The operators of a domain that have a conversion, sorted.

    >>> "Conv" in tf.onnx.supported_operators()
    True
    """
    load("reflow.onnx.operators")
    return sorted(name for where, name in _conversions if where == canonical(domain))
