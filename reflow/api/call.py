"""How public functions call ops: convert the arguments, name the node, dispatch.

`unary` and `binary` create the public function of an elementwise op from its description.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from reflow.api.export import export, with_sections
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.tensor import EagerTensor, Tensor, TensorBase
from reflow.eager.variables import Variable
from reflow.ops import registry
from reflow.ops.attr_checks import check_call
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import dispatch, dispatch_one, dispatch_two
from reflow.ops.from_python import mixed_dtypes
from reflow.ops.opdef import MISSING, Arg, OpDef

Function = TypeVar("Function", bound=Callable)
_NONE: dict = {}


def call(name: str, inputs, attrs=_NONE, label: str | None = None):
    """Dispatch the op called `name` on tensors; `label` is the user's `name=` argument, which names the graph node."""
    record = registry.get(name)
    if label is None or state.graph is None:
        return dispatch(record, inputs, attrs)
    with state.graph.name_scope_for(label):
        return dispatch(record, inputs, attrs)


def tensor_or(value, dtype) -> Tensor:
    """A tensor as it is, for the op itself to say what it takes; anything else as a tensor of the dtype that the op
    takes.

    >>> tensor_or([1, 2], tf.float32).dtype, tensor_or(tf.constant(1), tf.float32).dtype
    (tf.float32, tf.int32)
    """
    return convert_to_tensor(value) if _is_tensor(value) else convert_to_tensor(value, dtype)


def checked_call(name: str, inputs, attrs, label: str | None = None):
    """`call` for an op whose attributes the user chose (dtypes of features, say): eager code checks them first."""
    if state.graph is None:
        check_call(registry.get(name).definition, attrs)
    return call(name, inputs, attrs, label)


@functools.cache
def output_tuple(name: str) -> Callable[..., Any]:
    """The named tuple of the outputs of an op that has several.

    >>> output_tuple("Unique")._fields
    ('y', 'idx')
    """
    return collections.namedtuple(name.replace(">", "_"), [arg.name for arg in registry.get(name).definition.outputs])


def op_inputs(name: str, *values: Any) -> list:
    """The inputs of the op called `name`, none of which is a list, from what its caller gave.

    >>> [t.dtype.name for t in op_inputs("NonMaxSuppressionV3", np.zeros([1, 4]), [1], 2, 0.5, 0.5)]
    ['float32', 'float32', 'int32', 'float32', 'float32']
    """
    definition = registry.get(name).definition
    known = known_dtypes(definition, {arg.name: v for arg, v in zip(definition.inputs, values, strict=True)})
    return [
        input_tensor(v, i, arg, known, definition)
        for i, (arg, v) in enumerate(zip(definition.inputs, values, strict=True))
    ]


def known_dtypes(definition: OpDef, values: dict[str, Any]) -> dict[str, dtypes.DType]:
    """The type attributes that tensors among the inputs decide."""
    known: dict[str, dtypes.DType] = {}
    for arg in definition.inputs:
        if arg.type_attr:
            parts = values[arg.name] if arg.is_list else [values[arg.name]]
            found = next((dtypes.as_dtype(v.dtype) for v in parts if _is_tensor(v)), None)
            if found is not None:
                known.setdefault(arg.type_attr, found)
    return known


def input_tensor(value: Any, place: int, arg: Arg, known: dict[str, dtypes.DType], definition: OpDef) -> Tensor:
    """One input of an op as a tensor; `place` is its number among all of them.

    A value that is not a tensor takes the dtype of the tensors with the same type attribute. Without any, a NumPy array
    takes the attribute's default in eager code (TensorFlow's pooling of a float64 array is float32), and other values
    do if their own dtype is not allowed.
    """
    if arg.type is not None:
        return _of_one_dtype(value, place, arg, definition)
    if arg.type_attr is None:
        return convert_to_tensor(value)
    dtype, attr = known.get(arg.type_attr), definition.attrs[arg.type_attr]
    hint = None if attr.default is MISSING or dtype is not None else dtypes.as_dtype(attr.default)
    if _is_tensor(value):
        tensor = convert_to_tensor(value)
    elif hint is not None and state.graph is None and isinstance(value, np.ndarray):
        tensor = convert_to_tensor(value, dtype_hint=hint)
    else:
        tensor = _as_argument(value, dtype, arg, definition)
        if hint is not None and attr.allowed and tensor.dtype.proto_name not in attr.allowed:
            tensor = convert_to_tensor(value, dtype_hint=hint)
    known.setdefault(arg.type_attr, tensor.dtype)
    return tensor


def _of_one_dtype(value: Any, place: int, arg: Arg, definition: OpDef) -> Tensor:
    """A tensor for an input with a fixed dtype: other values are cast to it, or rejected.

    Graphs have their own messages.
    """
    dtype = dtypes.as_dtype(arg.type)
    if _is_tensor(value):
        tensor = convert_to_tensor(value)
        if state.graph is None and tensor.dtype is not dtype and not arg.is_ref:
            raise mixed_dtypes(definition.name, place, dtype, tensor.dtype)
        return tensor
    return _as_argument(value, dtype, arg, definition)


def _as_argument(value: Any, dtype: dtypes.DType | None, arg: Arg, definition: OpDef) -> Tensor:
    """A value as a tensor of a dtype, if that is known. In a graph an error names the op and its parameter."""
    try:
        return convert_to_tensor(value, dtype)
    except (TypeError, ValueError) as error:
        if state.graph is None or dtype is None:
            raise
        raise TypeError(
            f"Expected {dtype.name} passed to parameter '{arg.name}' of op '{definition.name}', got {value!r} of type "
            f"'{type(value).__name__}' instead. Error: {error}"
        ) from None


def same_dtype(*values):
    """Tensors of one dtype: numbers and arrays take the dtype of the first tensor among them, numbers that of an array.

    So do lists, and the tensors in them.
    """
    typed = (v for test in (_is_tensor, _is_array) for v in values if test(v))
    dtype = next(map(_dtype_of, typed), None)
    out = []
    for v in values:
        exactly = isinstance(v, (list, tuple)) and (state.graph is None or any(map(_is_tensor, v)))
        tensor = v if isinstance(v, EagerTensor) else convert_to_tensor(v, dtype if exactly else None, dtype_hint=dtype)
        if dtype is None:
            dtype = tensor._dtype
        out.append(tensor)
    return out


def one_dtype(op_name, tensors):
    """Reject tensors of different dtypes, with the message of TensorFlow's kernels."""
    first = tensors[0]._dtype
    for i, tensor in enumerate(tensors):
        if tensor._dtype is not first and state.graph is None:
            raise mixed_dtypes(op_name, i, first, tensor._dtype)


def _is_tensor(value):
    return isinstance(value, TensorBase) or hasattr(value, "__tf_tensor__")


def _is_array(value):
    return hasattr(value, "dtype")


def _dtype_of(value):
    """The dtype of a value that has one; a variable is not read for it."""
    return value._dtype if isinstance(value, (Tensor, Variable)) else convert_to_tensor(value)._dtype


def unary(op_name: str, *names: str) -> Callable[[Function], Function]:
    """A decorator that makes and exports the public function of an elementwise op with one input: `f(x, name=None)`."""
    op = registry.get(op_name)
    arg = op.definition.inputs[0]

    def function(x, name=None):
        if type(x) is not EagerTensor:
            if hasattr(x, "map_values"):  # sparse or ragged
                return x.map_values(function)
            x = convert_to_tensor(x) if arg.type is None else _of_one_dtype(x, 0, arg, op.definition)
        return dispatch_one(op, x) if name is None else call(op_name, (x,), _NONE, name)

    function.takes_ragged = True  # type: ignore[attr-defined]
    return described(function, *names, sections=unary_sections(op.definition, others=True))


def binary(op_name: str, *names: str) -> Callable[[Function], Function]:
    """Makes and exports the public function of an elementwise op with two inputs: `f(x, y, name=None)`."""
    op = registry.get(op_name)
    first, second = op.definition.inputs

    def function(x, y, name=None):
        if type(x) is not EagerTensor or type(y) is not EagerTensor:
            if hasattr(x, "map_pairs") or hasattr(y, "map_pairs"):  # ragged
                return (x if hasattr(x, "map_pairs") else y).map_pairs(function, x, y)
            if first.type is None:
                x, y = operands(x, y, op=op)
            else:
                x, y = _of_one_dtype(x, 0, first, op.definition), _of_one_dtype(y, 1, second, op.definition)
        if name is None and type(x) is EagerTensor and type(y) is EagerTensor:
            return dispatch_two(op, x, y)
        return call(op_name, (x, y), _NONE, name)

    function.op = op  # type: ignore[attr-defined] # for operators
    function.takes_ragged = True  # type: ignore[attr-defined]
    return described(function, *names, sections=binary_sections(op.definition))


def operands(x, y, lenient=False, op=None):
    """Both sides of a binary op as tensors; a Python or NumPy value on one side takes the other's dtype.

    A Python number that does not fit is a TypeError, as in TensorFlow; `lenient` leaves it to the op (TensorFlow's `+`
    does). `op`: the op that the message names if a graph is built.
    """
    if not isinstance(x, EagerTensor):
        if (
            not hasattr(x, "_dtype")
            and not hasattr(x, "__tf_tensor__")
            and (hasattr(y, "_dtype") or hasattr(y, "__tf_tensor__"))
        ):
            y = convert_to_tensor(y)
            return _like(x, y._dtype, lenient), y
        x = convert_to_tensor(x)
    return x, _like(y, x._dtype, lenient, op)


def _like(value, dtype, lenient, op=None):
    """A tensor of `value`, of the given dtype if the value is plain Python; dtype errors are left to the op."""
    if isinstance(value, EagerTensor):
        return value
    if hasattr(value, "_dtype") or hasattr(value, "__tf_tensor__"):
        return convert_to_tensor(value)
    try:
        return convert_to_tensor(value, dtype)
    except (TypeError, ValueError) as error:
        if not lenient or isinstance(value, (np.ndarray, np.generic)):
            if op is None or state.graph is None or not isinstance(error, TypeError):
                raise
            raise TypeError(
                f"Expected {dtype.name} passed to parameter '{op.definition.inputs[1].name}' of op '{op.name}', got "
                f"{value!r} of type '{type(value).__name__}' instead. Error: {error}"
            ) from None
        return convert_to_tensor(value)


def described(function: Callable, *names: str, sections: str) -> Callable[[Any], Any]:
    """A decorator that puts `function` in the place of what it decorates, whose name, arguments and text it takes, and
    exports it. So the definition is where readers and editors look for it, and holds nothing but its description.

    `sections`, on arguments and results, are those of all functions of a kind: they come between the text and its
    example.
    """

    def replace(description):
        function.__doc__ = description.__doc__
        with_sections(sections)(function)
        function.__module__ = description.__module__
        function.__name__ = function.__qualname__ = description.__name__
        return export(*names)(function)

    return replace


# --- what docstrings have in common -----------------------------------------------------------------------------------


def takes(tensor: str, returns: str) -> Callable[[Function], Function]:
    """`with_sections` for a function of one tensor and a name.

    >>> @takes("t: A vector", returns="Its length")
    ... def length(t, name=None):
    ...     "Computes the length of a vector."
    >>> print(length.__doc__.strip())
    Computes the length of a vector.
    <BLANKLINE>
    Args:
      t: A vector.
      name: A name for the operation.
    <BLANKLINE>
    Returns:
      Its length.
    """
    return with_sections(f"Args:\n  {tensor}.\n  name: A name for the operation.\n\nReturns:\n  {returns}.\n")



_FLOATS, _COMPLEX = {"DT_BFLOAT16", "DT_HALF", "DT_FLOAT", "DT_DOUBLE"}, {"DT_COMPLEX64", "DT_COMPLEX128"}
_SIGNED, _UNSIGNED = ({f"DT_{kind}{bits}" for bits in (8, 16, 32, 64)} for kind in ("INT", "UINT"))
_KINDS = {
    "float": _FLOATS, "complex": _COMPLEX, "integer": _SIGNED | _UNSIGNED, "signed integer": _SIGNED,
    "bool": {"DT_BOOL"}, "string": {"DT_STRING"},
}  # fmt: skip


def _dtype_words(definition: OpDef) -> str:
    """The dtypes that an op takes, in words.

    >>> _dtype_words(registry.get("Exp").definition), _dtype_words(registry.get("LogicalNot").definition)
    ('a float or complex dtype', 'dtype bool')
    """
    arg = definition.inputs[0]
    if arg.type is not None:
        return f"dtype {dtypes.as_dtype(arg.type).name}"
    left, words = set(definition.attrs[arg.type_attr or ""].allowed or ()), []
    if not left:
        return "any dtype"
    for kind, members in _KINDS.items():
        if members <= left:
            words.append(kind)
            left -= members
    words += sorted(dtypes.as_dtype(name).name for name in left)
    text = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
    return f"{'an' if text[0] in 'aeiou' else 'a'} {text} dtype"


def unary_sections(definition: OpDef, others: bool) -> str:
    """Arguments, result and errors of an elementwise function of one input.

    `others` says whether it takes sparse and ragged ones.
    """
    kinds = "A tensor, sparse tensor or ragged tensor" if others else "A tensor"
    result = (
        "A bool tensor of the shape of `x`" if definition.outputs[0].type == "DT_BOOL"
        else "A tensor of the shape and dtype of `x`"
    )
    return f"""\
Args:
  x: {kinds} of {_dtype_words(definition)}, or what can be converted to a tensor.
  name: A name for the operation.

Returns:
  {result}{", of the same kind" if others else ""}.

Raises:
  InvalidArgumentError: `x` is a tensor of another dtype; when a graph is built, TypeError.
"""


def binary_sections(definition: OpDef) -> str:
    """Arguments, result and errors of an elementwise function of two inputs."""
    result = "A bool tensor" if definition.outputs[0].type == "DT_BOOL" else "A tensor of the dtype of the operands"
    return f"""\
Args:
  x: A tensor or ragged tensor of {_dtype_words(definition)}, or what can be converted to a tensor.
  y: The other operand, of the same dtype; shapes broadcast. A Python or NumPy value takes the dtype of the other side.
  name: A name for the operation.

Returns:
  {result}, of the shape that `x` and `y` broadcast to; ragged if one of them is.

Raises:
  InvalidArgumentError: The dtypes differ, or the shapes do not broadcast; in a graph, TypeError or ValueError.
  TypeError: A Python value does not fit the dtype of the other operand.
"""
