"""Divergences between distributions, by the types of the two: `kl_divergence`, and `RegisterKL` for more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reflow.api.array import arrange
from reflow.api.control.printing import assert_
from reflow.api.export import export
from reflow.api.framework.core_names import control_dependencies
from reflow.api.math import reduce, unary
from reflow.compat.name_scopes import name_scope

DIVERGENCES: dict[tuple[type, type], Callable[..., Any]] = {}


def registered(first: type, second: type) -> Callable[..., Any] | None:
    """The function for two types, or for the nearest types that they are derived from."""
    pairs = [
        (i + j, (a, b)) for i, a in enumerate(first.__mro__) for j, b in enumerate(second.__mro__)
        if (a, b) in DIVERGENCES
    ]
    return DIVERGENCES[min(pairs, key=lambda pair: pair[0])[1]] if pairs else None


@export("compat.v1.distributions.kl_divergence")
def kl_divergence(
    distribution_a: Any, distribution_b: Any, allow_nan_stats: bool = True, name: str | None = None
) -> Any:
    """The Kullback-Leibler divergence `KL(a || b)`.

    Args:
      distribution_a, distribution_b: distributions between whose types a divergence is registered.
      allow_nan_stats: if False, a result that is not a number raises.
      name: a name for the operation.

    Raises:
      NotImplementedError: nothing is registered for the two types.

    >>> d = tf.compat.v1.distributions
    >>> round(float(d.kl_divergence(d.Normal(0.0, 1.0), d.Normal(1.0, 1.0))), 3)
    0.5
    """
    function = registered(type(distribution_a), type(distribution_b))
    if function is None:
        raise NotImplementedError(
            "No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{type(distribution_a).__name__} and distribution_b type {type(distribution_b).__name__}"
        )
    with name_scope(name or "KullbackLeibler"):
        result = function(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return result
        message = (
            f"KL calculation between {distribution_a.name} and {distribution_b.name} returned NaN values (and was "
            "called with allow_nan_stats=False). Values:"
        )
        check = assert_(reduce.reduce_all(~unary.is_nan(result)), [message, result])
        with control_dependencies([] if check is None else [check]):
            return arrange.identity(result)


def cross_entropy(ref: Any, other: Any, allow_nan_stats: bool = True, name: str | None = None) -> Any:
    """The entropy of `ref` and its divergence from `other`."""
    with name_scope(name or "cross_entropy"):
        return ref.entropy() + kl_divergence(ref, other, allow_nan_stats)


@export("compat.v1.distributions.RegisterKL")
class RegisterKL:
    """A decorator for the function that gives the divergence between two types of distributions.

    >>> class Mine(tf.compat.v1.distributions.Normal):
    ...     pass
    >>> @tf.compat.v1.distributions.RegisterKL(Mine, Mine)
    ... def kl(a, b, name=None):
    ...     return a.loc - b.loc
    >>> float(Mine(3.0, 1.0).kl_divergence(Mine(1.0, 1.0)))
    2.0
    """

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in DIVERGENCES:
            first, second = (cls.__name__ for cls in self._key)
            raise ValueError(f"KL({first} || {second}) has already been registered to: {DIVERGENCES[self._key]}")
        DIVERGENCES[self._key] = kl_fn
        return kl_fn
