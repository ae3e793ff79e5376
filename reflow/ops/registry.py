"""The registry: one record per op.

A record (`Op`, `reflow/ops/record.py`) joins TensorFlow's OpDef with a *kernel* written once against the array
namespace `xp`, a *gradient*, a *shape rule*, and every other fact about the op. Everything that deals with ops
(dispatch, the tape, the interpreter, the lowering, `tf.raw_ops`, GraphDef import and export) uses the records; adding
an op means adding one record.

    @op("Maximum", shape=rules.broadcast, elementwise=True, grad=_maximum_grad)
    def maximum(xp, x, y):
        return xp.maximum(x, y)

Facts that only a higher layer can know (how to lower a loop) are added to the record by that layer, with `extend`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

from reflow.core import dtypes
from reflow.core.errors import NotFoundError
from reflow.ops import opdef
from reflow.ops.opdef import MISSING
from reflow.ops.protocols import Kernel
from reflow.ops.record import NO_GRADIENT, NeedsValue, Op, places
from reflow.ops.record_table import RecordTable

__all__ = ["NO_GRADIENT", "REGISTRY", "NeedsValue", "Op", "also_called", "extend", "get", "op", "own_op", "places"]

REGISTRY: RecordTable[Op] = RecordTable()
MAX_OUTPUTS = 2**20  # per node: a number in a file or an argument must not cost terabytes
#: fields whose functions are in higher layers, which know graphs and programs
FROM_ABOVE = frozenset({"grad_tensors", "lower", "accelerated", "expand", "rows"})


def op(name: str, **facts: Any) -> Callable[[Kernel], Op]:
    """Register a kernel under TensorFlow's op name, with its gradient, shape rule and facts."""

    def register(kernel: Kernel) -> Op:
        return REGISTRY.add(name, Op(opdef.lookup(name), kernel, **facts))

    return register


def also_called(name: str, record: Op, **changes: Any) -> Op:
    """Register a second TensorFlow op that does what `record` does, except for `changes` of its facts or its kernel."""
    return REGISTRY.add(name, dataclasses.replace(record, definition=opdef.lookup(name), **changes))


def extend(*records: Op, **facts: Any) -> None:
    """Add to records what only a higher layer knows: a field of `FROM_ABOVE` that is not set yet."""
    for record in records:
        for field, value in facts.items():
            if field not in FROM_ABOVE:
                raise TypeError(f"`{field}` of {record.name} is said where its kernel is registered.")
            if getattr(record, field) is not None:
                raise ValueError(f"`{field}` of {record.name} is set twice.")
            setattr(record, field, value)


def own_op(
    name: str, inputs: str = "", outputs: str = "output", attrs: tuple = (), stateful: bool = False, **facts: Any
) -> Callable[[Kernel], Op]:
    """Register one of our own ops, `Reflow>Name`. Inputs and outputs are space-separated names; `*x` is a list.

    Types are not declared: an output's dtype comes from the attribute `Tout` (a list) of the node.
    """

    def arg(spelled: str, list_attr: str) -> opdef.Arg:
        return (
            opdef.Arg(spelled.lstrip("*"), type_list_attr=list_attr)
            if spelled[0] == "*"
            else opdef.Arg(spelled, type_attr=f"T_{spelled}")
        )

    ins = tuple(arg(s, f"Tin_{s[1:]}") for s in inputs.split())
    outs = tuple(arg(s, "Tout") for s in outputs.split())
    types = {
        a: opdef.Attr(a, "list(type)" if a.startswith(("Tin", "Tout")) else "type")
        for x in ins + outs
        for a in x.attr_names
    }
    types.update({a: opdef.Attr(a, "any") for a in attrs})
    opdef.register_own(opdef.OpDef("Reflow>" + name, ins, outs, types, stateful))
    return op("Reflow>" + name, **facts)


def get(name: str) -> Op:
    """The record of an op; a clear error if Reflow does not have it yet."""
    try:
        return REGISTRY[name]
    except KeyError:
        opdef.lookup(name)  # raises with suggestions if TensorFlow has no such op

        message = f"Op type not registered '{name}': Reflow has no kernel for it yet."
        raise NotFoundError(None, None, message) from None


def full_attrs(record: Op, input_dtypes: Iterable[dtypes.DType], attrs: dict) -> dict[str, Any]:
    """All attributes of a node: those given, those inferred from the inputs' dtypes, the OpDef's defaults."""
    full = dict(attrs)
    flat = list(input_dtypes)
    at = 0
    for arg in record.definition.inputs:
        if arg.type_list_attr:
            count = (
                len(full[arg.type_list_attr])
                if arg.type_list_attr in full
                else (len(flat) - at - _singles_after(record, arg))
            )
            full[arg.type_list_attr] = flat[at : at + count]
        elif arg.number_attr:
            count = full.get(arg.number_attr)  # type: ignore[assignment]
            if count is None:
                count = full[arg.number_attr] = len(flat) - at - _singles_after(record, arg)
            if arg.type_attr and count:
                _infer(record, full, arg, flat[at])
        else:
            count = 1
            if arg.type_attr:
                _infer(record, full, arg, flat[at])
        at += count
    for name, attr in record.definition.attrs.items():
        if name not in full and attr.default is not MISSING:
            full[name] = decode_default(attr)
    return full


def _singles_after(record: Op, arg: opdef.Arg) -> int:
    inputs = record.definition.inputs
    return len(inputs) - 1 - inputs.index(arg)


def _infer(record: Op, full: dict, arg: opdef.Arg, dtype: dtypes.DType) -> None:
    known = full.get(arg.type_attr)
    if known is not None and known is not dtype and not isinstance(known, str):
        raise TypeError(
            f"Input '{arg.name}' of '{record.name}' Op has type {dtype.name} that does not match type {known.name} of "
            f"argument '{_first_with(record, arg.type_attr)}'."
        )
    full[arg.type_attr] = dtype


def _first_with(record: Op, type_attr: str | None) -> str:
    return next(a.name for a in record.definition.inputs if a.type_attr == type_attr)


def decode_default(attr: opdef.Attr) -> Any:
    """An OpDef's default in the form of node attributes: DTypes, plain shapes, Python values."""
    value = attr.default
    if attr.type == "type":
        return dtypes.as_dtype(value)
    if attr.type == "list(type)":
        return [dtypes.as_dtype(v) for v in value]
    return value


def output_dtypes(record: Op, full: dict) -> list:
    """The dtypes of a node's outputs, from its full attributes."""
    out: list = []
    for arg in record.definition.outputs:
        if arg.type_list_attr:
            out.extend(full[arg.type_list_attr])
        elif arg.number_attr:
            dtype = dtypes.as_dtype(arg.type) if arg.type else full[arg.type_attr]
            count = full[arg.number_attr]
            if count > MAX_OUTPUTS:
                raise ValueError(f"'{record.name}' would have {count} outputs; at most {MAX_OUTPUTS} are allowed.")
            out.extend([dtype] * count)
        else:
            out.append(dtypes.as_dtype(arg.type) if arg.type else full[arg.type_attr])
    return out
