"""A *call*: an op's name, its inputs and its attributes, as plain data that Reflow and TensorFlow can both be given.

Calls are recorded from the op table: its cases run on a backend that notes what passes through it. Inputs are arrays
with the name of their dtype, attributes are numbers, words, lists of these, and names of dtypes. This module imports
neither TensorFlow nor Reflow at its top: both perform calls.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.inputs import np_dtype

#: ops that wait, here as in TensorFlow, until another thread has put something where they look
WAITING = ("Peek", "Unstage", "UnstageNoKey")
QUANTIZED = {"qint8": "int8", "quint8": "uint8", "qint16": "int16", "quint16": "uint16", "qint32": "int32"}


@dataclasses.dataclass(frozen=True)
class Array:
    """An input: an array and TensorFlow's name of its dtype."""

    dtype: str
    value: np.ndarray

    def tensor(self, tf) -> Any:
        if self.dtype in QUANTIZED:
            return tf.bitcast(tf.constant(self.value, QUANTIZED[self.dtype]), self.dtype)
        return tf.constant(self.value, dtype=self.dtype, shape=self.value.shape)


@dataclasses.dataclass(frozen=True)
class Call:
    """One call of a raw op. An input is an `Array`, or a list of them."""

    op: str
    inputs: dict[str, Any]
    attrs: dict[str, Any]

    def tensors(self, tf) -> list:
        """All inputs as one list."""
        return [a.tensor(tf) for value in self.inputs.values() for a in (value if isinstance(value, list) else [value])]

    def perform(self, tf, tensors: list) -> Any:
        """Run it on tensors in the order of `tensors()`."""
        flat = iter(tensors)
        given = {
            name: [next(flat) for _ in value] if isinstance(value, list) else next(flat)
            for name, value in self.inputs.items()
        }
        return getattr(tf.raw_ops, self.op)(**given, **self.attrs)


def has_denormals(call: Call) -> bool:
    """Whether an input or an attribute is a float32 so near to zero that it has lost digits, but is not zero,
    or its inverse is."""

    def lost(value: Any) -> bool:
        if not isinstance(value, (float, np.ndarray)) or np.asarray(value).dtype.kind not in "fc":
            return isinstance(value, (list, tuple)) and any(map(lost, value))
        size = np.abs(np.asarray(value, np.complex128))
        return bool(((size > 0) & (size < 2e-38) | (size > 8e37) & (size < np.inf)).any())

    return any(lost(array.value) for _, array in each_array(call)) or any(map(lost, call.attrs.values()))


# --- recording --------------------------------------------------------------------------------------------------------


def record(table) -> list[Call]:
    """The calls of plain tensors that the cases of the op table make, each op and set of attributes once."""
    import reflow as tf
    from reflow.core.context import state, swapped

    found: dict[str, Call] = {}
    with swapped(backend=_recorder(state.backend, found)):
        for case in table.values():
            try:
                case.run(tf, [tf.constant(a, dtype=d) for a, d in zip(case.arrays(), case.dtypes())])
            except Exception as error:  # noqa: BLE001 - a case that cannot run here is another test's business
                print(f"{case.id}: {type(error).__name__}: {error}")
    return list(found.values())


def _recorder(inner, found: dict[str, Call]):
    from reflow.backends.checked import CheckedBackend

    class Recorder(CheckedBackend):
        """Notes the calls that it hands on."""

        def execute(self, op, inputs, attrs):
            call = _as_call(op, inputs, attrs)
            if call is not None:
                kinds = [a.dtype for _, a in each_array(call)]
                found.setdefault(f"{call.op} {call.attrs} {kinds}", call)
            return inner.execute(op, inputs, attrs)

    return Recorder(inner)


def each_array(call: Call) -> Iterator[tuple[str, Array]]:
    for name, value in call.inputs.items():
        for array in value if isinstance(value, list) else [value]:
            yield name, array


def _as_call(op, inputs, attrs) -> Call | None:
    """A call as data; None if it takes handles, functions or tensors as attributes,
    reaches outside of the process, or waits."""
    from reflow.api.raw_ops import RENAMED
    from reflow.ops.registry import full_attrs

    if (
        op.name.startswith("Reflow>") or op.touches or op.name.endswith(WAITING)
        or any(t.dtype.name in ("resource", "variant") for t in inputs)
    ):
        return None
    definition, renamed = op.definition, RENAMED.get(op.name, {})
    if any("func" in a.type or "tensor" in a.type for a in definition.attrs.values()):
        return None
    full = full_attrs(op, [t.dtype for t in inputs], attrs)
    flat, given = iter([_as_array(t) for t in inputs]), {}
    for arg in definition.inputs:
        count = full[arg.number_attr] if arg.number_attr else len(full[arg.type_list_attr]) if arg.is_list else 1
        arrays = [next(flat) for _ in range(count)]
        given[renamed.get(arg.name, arg.name)] = arrays if arg.is_list else arrays[0]
    free = [n for n in definition.attrs if n not in definition.inferred_attrs and not n.startswith("_") and n in full]
    return Call(op.name, given, {renamed.get(n, n): _plain(full[n]) for n in free})


def _as_array(tensor: Any) -> Array:
    dtype = tensor.dtype.name
    return Array(dtype, np.array(tensor.numpy(), object if dtype == "string" else None))


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return getattr(value, "name", value)


# --- as text ----------------------------------------------------------------------------------------------------------


def to_text(call: Call) -> str:
    """One line of JSON."""
    inputs = {k: [_pack(a) for a in v] if isinstance(v, list) else _pack(v) for k, v in call.inputs.items()}
    return json.dumps({"op": call.op, "inputs": inputs, "attrs": call.attrs})


def from_text(line: str) -> Call:
    facts = json.loads(line)
    inputs = {k: _unpack(v) if isinstance(v, dict) else [_unpack(a) for a in v] for k, v in facts["inputs"].items()}
    return Call(facts["op"], inputs, facts["attrs"])


def _pack(array: Array) -> dict:
    value = array.value
    if array.dtype == "string":
        data: Any = [s.decode("latin-1") if isinstance(s, bytes) else s for s in value.ravel().tolist()]
    else:
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
    return {"dtype": array.dtype, "shape": list(value.shape), "data": data}


def _unpack(facts: dict) -> Array:
    dtype, shape = facts["dtype"], facts["shape"]
    if dtype == "string":
        value = np.array([s.encode("latin-1") for s in facts["data"]], object).reshape(shape)
    else:
        raw = np.frombuffer(base64.b64decode(facts["data"]), np_dtype(QUANTIZED.get(dtype, dtype)))
        value = raw.reshape(shape).copy()
    return Array(dtype, value)
