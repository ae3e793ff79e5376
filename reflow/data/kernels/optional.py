"""Optionals: a value that may be missing, as a `variant`."""

from __future__ import annotations

import numpy as np

from reflow.core import errors
from reflow.core.shapes import dims_of
from reflow.core.tensor import HostObject, ndarray
from reflow.data.engine.values import OptionalValue
from reflow.ops import shape_rules as rules
from reflow.ops.dispatch import run
from reflow.ops.registry import NO_GRADIENT, op


def _from_value_grad(attrs, inputs, outputs, cotangents, wanted):
    """The cotangent of an optional is an optional of the components' cotangents."""
    kinds = [t._dtype for t in inputs]
    return run("OptionalGetValue", cotangents[0], output_types=kinds, output_shapes=[t.shape._dims for t in inputs])


@op("OptionalFromValue", shape=rules.scalar, grad_tensors=_from_value_grad, host=True, stores=True)
def optional_from_value(_, components):
    return OptionalValue(list(components))


@op("OptionalNone", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def optional_none(_):
    return OptionalValue()


@op("OptionalHasValue", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def optional_has_value(_, optional):
    return np.asarray(optional.element is not None)


def _get_value_grad(attrs, inputs, outputs, cotangents, wanted):
    parts = [run("ZerosLike", y) if g is None else g for g, y in zip(cotangents, outputs, strict=True)]
    return [run("OptionalFromValue", *parts, Toutput_types=[p._dtype for p in parts])]


@op(
    "OptionalGetValue", shape=lambda f: [dims_of(s) for s in f.attrs["output_shapes"]], grad_tensors=_get_value_grad,
    host=True,
)
def optional_get_value(_, optional, output_types=None):
    if optional.element is None:
        raise errors.InvalidArgumentError(None, None, "The given optional does not have a value.")
    if output_types is not None and len(optional.element) != len(output_types):
        raise errors.InvalidArgumentError(
            None, None, f"The given optional has {len(optional.element)} components, expected {len(output_types)}."
        )
    return tuple([v if type(v) is ndarray or isinstance(v, HostObject) else np.asarray(v) for v in optional.element])
