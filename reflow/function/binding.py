"""Binds the arguments of a `ConcreteFunction` call: by the function's Python signature, or by the flat list of its
tensors.

The first form takes the same arguments as the function, with the trace's constants repeated. The second takes only
tensors, in order or by the names of the placeholders. Eagerly it checks dtypes but not shapes, so a function traced for
one row can be called on a batch; in a graph, shapes must be compatible. Like TensorFlow, we try them in this order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError
from reflow.core.specs import TensorSpec
from reflow.core.tensor import Tensor
from reflow.eager.variables import Variable
from reflow.function.input_signature import _cast
from reflow.function.trace_key import Arguments
from reflow.graph.graph import SymbolicTensor
from reflow.ops.convert import convert_to_tensor

if TYPE_CHECKING:
    from reflow.function.concrete import ConcreteFunction


_SHORT = {"float32": "float", "float64": "double", "float16": "half"}


def flat_arguments(concrete: ConcreteFunction, args: Sequence[Any], kwargs: dict[str, Any]) -> list:
    """The tensors for the arguments of a trace; if they fit neither form, a TypeError with both reasons."""
    try:
        return _structured(concrete, args, kwargs)
    except (TypeError, ValueError) as error:
        structured = str(error)
    try:
        return _flat(concrete, args, kwargs)
    except TypeError as error:
        raise TypeError(
            f"Binding inputs to tf.function failed due to `{structured}`. Received args: {args} and kwargs: {kwargs} "
            f"for signature: {concrete.function_type}.\nFallback to flat signature also failed due to: {error}"
        ) from None


def _structured(concrete: ConcreteFunction, args: Sequence[Any], kwargs: dict[str, Any]) -> list:
    function_type = concrete.function_type
    bound = function_type.bind(*args, **kwargs)
    cast = [_cast(p.annotation.structure, bound.arguments[p.name], p.name) for p in function_type.parameters.values()]
    return _all_checked(concrete, Arguments(cast, {}).tensors)


def _flat(concrete: ConcreteFunction, args: Sequence[Any], kwargs: dict[str, Any]) -> list:
    wanted = concrete.graph.arguments
    names = [t.op.name for t in wanted]
    title = f"{concrete.graph.name}({', '.join(names)})"
    if len(args) > len(names):
        raise TypeError(f"{title} takes {len(names)} positional arguments, got {len(args)}.")
    twice = [n for n in names[: len(args)] if n in kwargs]
    if twice:
        raise TypeError(f"{title} got two values for {twice[0]!r}.")
    missing = [n for n in names[len(args) :] if n not in kwargs]
    if missing:
        raise TypeError(f"{title} missing required arguments: {', '.join(missing)}.")
    extra = sorted(set(kwargs) - set(names[len(args) :]))
    if extra:
        raise TypeError(f"{title} got unexpected keyword arguments: {', '.join(extra)}.")
    tensors = []
    for i, value in enumerate([*args, *(kwargs[n] for n in names[len(args) :])]):
        if isinstance(value, Variable) and wanted[i]._dtype.name == "resource":
            value = value.handle
        elif isinstance(value, Variable):
            value = convert_to_tensor(value)
        if not isinstance(value, Tensor):
            raise TypeError(
                f"{title}: expected argument #{i}(zero-based) to be a Tensor; got {type(value).__name__} ({value})."
            )
        tensors.append(value)
    for i, (tensor, placeholder) in enumerate(zip(tensors, wanted, strict=True)):
        if tensor._dtype is not placeholder._dtype:
            expected, got = (_SHORT.get(d.name, d.name) for d in (placeholder._dtype, tensor._dtype))
            raise InvalidArgumentError(
                None, None,
                f"cannot compute {concrete.function_name} as input #{i}(zero-based) was expected to be a {expected} "
                f"tensor but is a {got} tensor [Op:{concrete.function_name}]",
            )
        if state.graph is not None:
            _check_shape(tensor, placeholder)
    return tensors


def _check_shape(tensor: Tensor, placeholder: SymbolicTensor) -> None:
    if not tensor.shape.is_compatible_with(placeholder.shape):
        raise TypeError(
            f"Tensor {tensor} is not compatible with the shape this function was traced with. Expected shape "
            f"{placeholder.shape}, but got shape {tensor.shape}.\n\nIf you called get_concrete_function, you may need "
            "to pass a tf.TensorSpec(..., shape=...) with a less specific shape, having None on axes which can vary."
        )


def _all_checked(concrete: ConcreteFunction, tensors: Sequence[Tensor]) -> list:
    wanted = concrete.graph.arguments
    if len(tensors) != len(wanted):
        raise TypeError(f"{concrete.graph.name} takes {len(wanted)} tensors, got {len(tensors)}.")
    return [checked(t, w) for t, w in zip(tensors, wanted, strict=True)]


def checked(tensor: Tensor, placeholder: SymbolicTensor) -> Tensor:
    """A tensor, checked against a placeholder; TypeError if it does not fit."""
    if tensor._dtype is not placeholder._dtype or not tensor.shape.is_compatible_with(placeholder.shape):
        given, wanted = (TensorSpec(t.shape, t.dtype) for t in (tensor, placeholder))
        raise TypeError(f"Can not cast {given!r} to {wanted!r}")
    return tensor
