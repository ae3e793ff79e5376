"""Activations and initializers of layers by name: `activation="relu"`, `kernel_initializer="zeros"`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reflow.api import initializers as fills
from reflow.api.array.arrange import identity
from reflow.api.math import unary
from reflow.api.nn import activations
from reflow.compat import initializers

_SAME_NAMES = "relu relu6 elu selu softplus softsign leaky_relu gelu silu softmax log_softmax"
ACTIVATIONS: dict[str, Callable] = {
    **{name: getattr(activations, name) for name in _SAME_NAMES.split()},
    "tanh": unary.tanh, "sigmoid": unary.sigmoid, "exponential": unary.exp, "linear": identity,
    "swish": activations.silu,
}  # fmt: skip
INITIALIZERS: dict[str, Callable[[], Any]] = {
    "zeros": fills.Zeros, "ones": fills.Ones, "identity": initializers.Identity, "orthogonal": initializers.Orthogonal,
    "glorot_uniform": initializers.GlorotUniform, "glorot_normal": initializers.GlorotNormal,
    "he_uniform": initializers.he_uniform, "he_normal": initializers.he_normal,
    "lecun_uniform": initializers.lecun_uniform, "lecun_normal": initializers.lecun_normal,
    "random_uniform": lambda: initializers.RandomUniform(-0.05, 0.05),
    "random_normal": lambda: initializers.RandomNormal(stddev=0.05),
    "truncated_normal": lambda: initializers.TruncatedNormal(stddev=0.05),
}  # fmt: skip
INITIALIZERS |= {short: INITIALIZERS[f"random_{short}"] for short in ("uniform", "normal")}


def activation_of(given: Any) -> Any:
    """A function, or None, from what a layer was given; a name is Keras'.

    >>> activation_of("swish").__name__, activation_of(None)
    ('silu', None)
    """
    return _named(given, ACTIVATIONS, "activation function")


def initializer_of(given: Any) -> Any:
    """An initializer, or None, from what a layer was given; a name is Keras'.

    >>> initializer_of("he_normal").scale
    2.0
    """
    found = _named(given, INITIALIZERS, "initializer")
    return found() if isinstance(given, str) else found


def _named(given: Any, known: dict[str, Callable], kind: str) -> Any:
    if not isinstance(given, str):
        return given
    if given not in known:
        raise ValueError(f"Unknown {kind}: {given!r}. Known names: {', '.join(sorted(known))}.")
    return known[given]
