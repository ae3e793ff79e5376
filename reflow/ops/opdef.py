"""TensorFlow's OpDefs, as data.

An *OpDef* says what an op looks like from outside, not what it computes: its inputs and outputs (each
an `Arg`), its attributes (each an `Attr`), and whether it is stateful. TensorFlow 2.21 has 1,462 of them;
they lie in `opdefs.json.gz`, written by `tools/make_opdefs.py`, one line per op:

    AddV2<TAB>{"in": [...], "out": [...], "attr": [...], "stateful": true}

The file is unpacked at the first lookup (3 ms) and a line is decoded when its op is first looked up
(20 to 30 µs), so importing this module reads nothing and a program pays for the ops it uses.

How an argument gets its type:

- `type`            a fixed dtype, such as `"DT_INT32"`;
- `type_attr`       the attribute that holds the dtype (`T` of `AddV2`);
- `number_attr`     a list of tensors of one dtype; the attribute holds its length (`N` of `Pack`);
- `type_list_attr`  a list of tensors of any dtypes; the attribute holds them (`Tin` of `PartitionedCall`).

Dtypes are written as in TensorFlow's protos (`"DT_FLOAT"`), shapes as tuples with `None` for an unknown
dimension and `None` for an unknown rank. Ops of our own are named `Reflow>Name` and added by `register_own`.
"""

from __future__ import annotations

import dataclasses
import functools
import gzip
import json
import os
from typing import Any, Final

OWN_PREFIX: Final = "Reflow>"
DATA_FILE: Final = os.path.join(os.path.dirname(__file__), "opdefs.json.gz")


class _Missing:
    """The type of `MISSING`, which stands for "this attribute has no default: the caller must give it"."""

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


MISSING: Final = _Missing()


class UnknownOpError(KeyError):
    """No op of this name, in TensorFlow 2.21 or among our own."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show the message as a quoted repr


@dataclasses.dataclass(frozen=True, slots=True)
class Arg:
    """One input or output of an op: a tensor, or a list of tensors (see `is_list`)."""

    name: str
    type: str | None = None
    type_attr: str | None = None
    number_attr: str | None = None
    type_list_attr: str | None = None
    is_ref: bool = False

    @property
    def is_list(self) -> bool:
        return self.number_attr is not None or self.type_list_attr is not None

    @property
    def attr_names(self) -> tuple[str, ...]:
        """The attributes that describe this argument's type and length."""
        return tuple(a for a in (self.type_attr, self.number_attr, self.type_list_attr) if a is not None)


@dataclasses.dataclass(frozen=True, slots=True)
class Attr:
    """One attribute of an op.

    `type` is TensorFlow's word: `"type"`, `"int"`, `"float"`, `"bool"`, `"string"`, `"shape"`, `"func"`,
    `"tensor"`, or `"list(...)"` of one of them. `allowed` lists the values permitted (of each element, for a
    list); `minimum` bounds an int from below, or the length of a list. A `"tensor"` default stays a proto in
    JSON form.
    """

    name: str
    type: str
    default: Any = MISSING
    allowed: tuple[Any, ...] | None = None
    minimum: int | None = None

    @property
    def is_list(self) -> bool:
        return self.type.startswith("list(")


@dataclasses.dataclass(frozen=True, eq=False)
class OpDef:
    """One op seen from outside. There is one object per name, so identity is equality."""

    name: str
    inputs: tuple[Arg, ...] = ()
    outputs: tuple[Arg, ...] = ()
    attrs: dict[str, Attr] = dataclasses.field(default_factory=dict)
    stateful: bool = False

    @functools.cached_property
    def inferred_attrs(self) -> frozenset[str]:
        """Attributes that can be inferred from the inputs: dtypes, list lengths, lists of dtypes."""
        return frozenset(attr for arg in self.inputs for attr in arg.attr_names)


_own: dict[str, OpDef] = {}


def lookup(name: str) -> OpDef:
    """The OpDef of an op: TensorFlow's, or one of our own (`Reflow>…`)."""
    own = _own.get(name)
    return own if own is not None else _lookup_tensorflow(name)


def names() -> tuple[str, ...]:
    """All names, sorted: TensorFlow's first, then our own."""
    return (*sorted(_lines()), *sorted(_own))


@functools.cache
def unlisted() -> frozenset[str]:
    """The ops of TensorFlow that `tf.raw_ops` does not have; their lines say `"unlisted":true`."""
    return frozenset(name for name, line in _lines().items() if '"unlisted":true' in line)


def register_own(definition: OpDef) -> OpDef:
    """Add an op that TensorFlow does not have. Its name must begin with `Reflow>` and be new."""
    name = definition.name
    if not name.startswith(OWN_PREFIX) or name == OWN_PREFIX:
        raise ValueError(f"An op of our own must be named {OWN_PREFIX}Name. Received: name={name!r}")
    if name in _own:
        raise ValueError(f"Op {name!r} is registered already.")
    _own[name] = definition
    return definition


def add_file(path: str | os.PathLike) -> tuple[str, ...]:
    """Add the OpDefs of another file of the same format, and return their names: the test ops in TensorFlow's wheel."""
    more = _read(path)
    _lines().update(more)
    return tuple(more)


@functools.cache  # bounded: at most one entry per op of TensorFlow, since unknown names raise
def _lookup_tensorflow(name: str) -> OpDef:
    line = _lines().get(name)
    if line is None:
        import difflib

        close = difflib.get_close_matches(name, names(), n=3)
        hint = f" Did you mean {', '.join(close)}?" if close else ""
        raise UnknownOpError(f"No op named {name!r} in TensorFlow 2.21 or Reflow.{hint}")
    return _decode(name, json.loads(line))


@functools.cache
def _lines() -> dict[str, str]:
    """The file, unpacked but not decoded: name -> JSON."""
    return _read(DATA_FILE)


def _read(path: str | os.PathLike) -> dict[str, str]:
    with open(path, "rb") as file:
        text = gzip.decompress(file.read()).decode()
    return dict(line.split("\t", 1) for line in text.splitlines())


def _decode(name: str, data: dict[str, Any]) -> OpDef:
    return OpDef(
        name=name, inputs=tuple(Arg(**arg) for arg in data.get("in", ())),
        outputs=tuple(Arg(**arg) for arg in data.get("out", ())),
        attrs={attr["name"]: _decode_attr(attr) for attr in data.get("attr", ())}, stateful=data.get("stateful", False),
    )


def _decode_attr(data: dict[str, Any]) -> Attr:
    """JSON has no tuples: shapes and `allowed` are converted back here."""
    fields = dict(data)
    if "allowed" in fields:
        fields["allowed"] = tuple(fields["allowed"])
    if data["type"] == "shape" and fields.get("default") is not None:
        fields["default"] = tuple(fields["default"])
    return Attr(**fields)
