"""`Bijector`: an invertible differentiable map with the log-determinant of its Jacobian; a private class of TensorFlow.

A subclass defines `_forward`, `_inverse` and one of `_forward_log_det_jacobian` and `_inverse_log_det_jacobian`: each
is minus the other at the corresponding point. These treat the last `min_event_ndims` axes as one event; for events with
more axes they are summed over the others. A result is cached with its argument, so `inverse(forward(x))` is x itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from reflow.api.array import arrange, creation
from reflow.api.debugging import asserts
from reflow.api.export import export
from reflow.api.framework.core_names import control_dependencies
from reflow.api.math import reduce
from reflow.compat.name_scopes import name_scope
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.ops.convert import convert_to_tensor


def _event_axes(given: int | None, other: int | None, name: str) -> int:
    value = other if given is None else given
    if value is None:
        raise ValueError("Must specify at least one of `forward_min_event_ndims` and `inverse_min_event_ndims`.")
    if not isinstance(value, int):
        raise TypeError(f"Expected {name} to be of type int, got {type(value).__name__}")
    if value < 0:
        raise ValueError(f"{name} must be a non-negative integer.")
    return value


@export("__internal__.distributions.Bijector")
class Bijector:
    """A bijector: an invertible, differentiable map between random variables.

    >>> class Twice(Bijector):
    ...     def __init__(self):
    ...         super().__init__(forward_min_event_ndims=0)
    ...     def _forward(self, x):
    ...         return 2.0 * x
    ...     def _forward_log_det_jacobian(self, x):
    ...         return tf.math.log(2.0)
    >>> round(float(Twice().forward_log_det_jacobian([1.0, 1.0], event_ndims=1).numpy()), 4)
    1.3863
    """

    _is_injective = True

    def __init__(
        self, graph_parents=None, is_constant_jacobian=False, validate_args=False, dtype=None,
        forward_min_event_ndims=None, inverse_min_event_ndims=None, name=None,
    ):
        self._graph_parents = list(graph_parents or ())
        for i, parent in enumerate(self._graph_parents):
            if not arrange.is_tensor(parent):
                raise ValueError(f"Graph parent item {i} is not a Tensor; {parent}.")
        forward, inverse = forward_min_event_ndims, inverse_min_event_ndims
        self._forward_min_event_ndims = _event_axes(forward, inverse, "forward_min_event_ndims")
        self._inverse_min_event_ndims = _event_axes(inverse, forward, "inverse_min_event_ndims")
        self._is_constant_jacobian, self._validate_args, self._dtype = is_constant_jacobian, validate_args, dtype
        words = re.sub("([a-z0-9])([A-Z])", r"\1_\2", type(self).__name__.lstrip("_"))
        self._name = name or words.lower()
        self._constant_ildj_map: dict = {}
        # what is known of a point, by its tensor and the arguments: {"x", "y", ("ildj", event_ndims)}
        self._from_x: dict = {}
        self._from_y: dict = {}

    graph_parents = property(lambda self: self._graph_parents)
    forward_min_event_ndims = property(lambda self: self._forward_min_event_ndims)
    inverse_min_event_ndims = property(lambda self: self._inverse_min_event_ndims)
    is_constant_jacobian = property(lambda self: self._is_constant_jacobian)
    validate_args = property(lambda self: self._validate_args)
    dtype = property(lambda self: self._dtype)
    name = property(lambda self: self._name)

    # --- shapes of events

    def _forward_event_shape_tensor(self, input_shape):
        return input_shape

    _inverse_event_shape_tensor = _forward_event_shape = _inverse_event_shape = _forward_event_shape_tensor

    def forward_event_shape_tensor(self, input_shape, name="forward_event_shape_tensor"):
        """The shape of an event after `forward`, as a tensor."""
        return self._forward_event_shape_tensor(convert_to_tensor(input_shape, dtypes.int32))

    def inverse_event_shape_tensor(self, output_shape, name="inverse_event_shape_tensor"):
        """The shape of an event after `inverse`, as a tensor."""
        return self._inverse_event_shape_tensor(convert_to_tensor(output_shape, dtypes.int32))

    def forward_event_shape(self, input_shape):
        """The shape of an event after `forward`, as far as it is known."""
        return self._forward_event_shape(TensorShape(input_shape))

    def inverse_event_shape(self, output_shape):
        """The shape of an event after `inverse`, as far as it is known."""
        return self._inverse_event_shape(TensorShape(output_shape))

    # --- the map

    def _forward(self, x):
        raise NotImplementedError("forward not implemented.")

    def _inverse(self, y):
        raise NotImplementedError("inverse not implemented")

    def _forward_log_det_jacobian(self, x):
        raise NotImplementedError("forward_log_det_jacobian not implemented.")

    def _inverse_log_det_jacobian(self, y):
        raise NotImplementedError("inverse_log_det_jacobian not implemented.")

    def forward(self, x, name="forward"):
        """The value of the map at x."""
        return self._call_forward(x, name)

    def inverse(self, y, name="inverse"):
        """The point, or the points, at which the map has the value y."""
        return self._call_inverse(y, name)

    def _call_forward(self, x, name, **kwargs):
        return self._mapped(x, name, self._from_x, "x", "y", self._forward, kwargs)

    def _call_inverse(self, y, name, **kwargs):
        return self._mapped(y, name, self._from_y, "y", "x", self._inverse, kwargs)

    def _mapped(
        self, given: Any, name: str, known: dict, side: str, other: str, function: Callable, kwargs: dict
    ) -> Any:
        with name_scope(self._name), name_scope(name):
            given = self._converted(given)
            if not self._is_injective:
                return function(given, **kwargs)
            facts = self._facts(known, side, given, kwargs)
            if other not in facts:
                facts[other] = function(given, **kwargs)
                self._keep(facts, kwargs)
            return facts[other]

    def _converted(self, value: Any) -> Any:
        tensor = convert_to_tensor(value)
        if self._dtype is not None and dtypes.as_dtype(self._dtype) is not tensor.dtype:
            raise TypeError(f"Input had dtype {self._dtype} but expected {tensor.dtype}.")
        return tensor

    @staticmethod
    def _facts(known: dict, side: str, tensor: Any, kwargs: dict) -> dict:
        return known.get((tensor.ref(), repr(kwargs))) or {side: tensor}

    def _keep(self, facts: dict, kwargs: dict) -> None:
        for known, side in ((self._from_x, "x"), (self._from_y, "y")):
            if side in facts:
                known[facts[side].ref(), repr(kwargs)] = facts

    # --- the Jacobian

    def forward_log_det_jacobian(self, x, event_ndims, name="forward_log_det_jacobian"):
        """The logarithm of the determinant of the Jacobian at x, for events of `event_ndims` axes."""
        return self._call_forward_log_det_jacobian(x, event_ndims, name)

    def inverse_log_det_jacobian(self, y, event_ndims, name="inverse_log_det_jacobian"):
        """The logarithm of the determinant of the inverse map's Jacobian at y, for events of `event_ndims` axes."""
        return self._call_inverse_log_det_jacobian(y, event_ndims, name)

    def _call_inverse_log_det_jacobian(self, y, event_ndims, name, **kwargs):
        with name_scope(self._name), name_scope(name):
            return self._jacobian(y, "y", event_ndims, kwargs)

    def _call_forward_log_det_jacobian(self, x, event_ndims, name, **kwargs):
        if not self._is_injective:
            raise NotImplementedError("forward_log_det_jacobian cannot be implemented for non-injective transforms.")
        with name_scope(self._name), name_scope(name):
            return -self._jacobian(x, "x", event_ndims, kwargs)

    def _jacobian(self, given: Any, side: str, event_ndims: Any, kwargs: dict) -> Any:
        """The inverse's logarithm, at a point given by its x or its y; that of each point if there are several."""
        backward = side == "y"
        least = self._inverse_min_event_ndims if backward else self._forward_min_event_ndims
        with control_dependencies(self._check_event(least, event_ndims)):
            if _constant(event_ndims) in self._constant_ildj_map:
                return self._constant_ildj_map[_constant(event_ndims)]
            given = self._converted(given)
            facts = self._facts(self._from_y if backward else self._from_x, side, given, kwargs)
            key = "ildj", _constant(event_ndims)
            if key in facts:
                return facts[key]
            found = self._computed(given, backward, facts, event_ndims, kwargs)
            if not self._is_injective:
                return found
            if key[1] is not None:
                facts[key] = found
                self._keep(facts, kwargs)
                if self._is_constant_jacobian:
                    self._constant_ildj_map[key[1]] = found
            return found

    def _computed(self, given: Any, backward: bool, facts: dict, event_ndims: Any, kwargs: dict) -> Any:
        """By the method for the side that is given, or by the other's at the corresponding point."""
        inverse = self._inverse_log_det_jacobian, self._inverse_min_event_ndims, 1.0
        forward = self._forward_log_det_jacobian, self._forward_min_event_ndims, -1.0
        (own, least, sign), (other, other_least, other_sign) = (inverse, forward) if backward else (forward, inverse)
        try:
            return self._over_events(given, own(given, **kwargs), sign, least, event_ndims)
        except NotImplementedError as refusal:
            try:
                cross = facts.get("x" if backward else "y")
                if cross is None:
                    cross = (self._inverse if backward else self._forward)(given, **kwargs)
                if self._is_injective:
                    facts["x" if backward else "y"] = cross
                return self._over_events(cross, other(cross, **kwargs), other_sign, other_least, event_ndims)
            except NotImplementedError:
                raise refusal from None

    def _over_events(self, points: Any, found: Any, sign: float, least: int, event_ndims: Any) -> Any:
        if not self._is_injective:
            at = points if isinstance(points, tuple) else [points] * len(found)
            return tuple(_summed(p, sign * f, least, event_ndims) for p, f in zip(at, found, strict=True))
        return _summed(points, sign * found, least, event_ndims)

    def _check_event(self, least: int, event_ndims: Any) -> list:
        count = convert_to_tensor(event_ndims)
        if not count.dtype.is_integer:
            raise ValueError(f"Expected integer dtype, got dtype {count.dtype}")
        if count.shape.rank not in (0, None):
            raise ValueError(f"Expected scalar event_ndims, got shape {count.shape}")
        known = _constant(event_ndims)
        if known is not None and least > known:
            raise ValueError(f"event_ndims ({known}) must be larger than min_event_ndims ({least})")
        return [asserts.assert_greater_equal(count, least)] if self._validate_args and known is None else []


def _constant(event_ndims: Any) -> int | None:
    """The number of an event's axes, if it is known while a graph is built."""
    value = arrange.get_static_value(event_ndims) if arrange.is_tensor(event_ndims) else event_ndims
    return None if value is None else int(value)


def _summed(point: Any, found: Any, least: int, event_ndims: Any) -> Any:
    """The sum over the axes of an event beyond the last `least` ones."""
    rank = arrange.rank(point)
    sizes = arrange.shape(point)[rank - event_ndims : rank - least]
    known = _constant(event_ndims)
    axes = creation.range(least - event_ndims, 0) if known is None else list(range(least - known, 0))
    return reduce.reduce_sum(creation.ones(sizes, found.dtype) * found, axes)


@export("__internal__.distributions.Identity")
class Identity(Bijector):
    """The identity bijector.

    >>> Identity().forward([1.0, 2.0]).numpy().tolist()
    [1.0, 2.0]
    """

    def __init__(self, validate_args=False, name="identity"):
        super().__init__(is_constant_jacobian=True, validate_args=validate_args, forward_min_event_ndims=0, name=name)

    def _forward(self, x):
        return x

    _inverse = _forward

    def _inverse_log_det_jacobian(self, y):
        return creation.zeros([], y.dtype)

    _forward_log_det_jacobian = _inverse_log_det_jacobian
