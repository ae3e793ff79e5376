"""The signature of a trace as text, in TensorFlow's format: `(x: TensorSpec(…), n: Literal[3]) -> Tuple[…]`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from reflow.core import nest
from reflow.core.specs import TensorSpec, TypeSpec
from reflow.core.types import Structure
from reflow.function.trace_key import Static, Typed, accepts, key_of


class _CapturedDefault:
    """How the default of a parameter is printed."""

    def __repr__(self) -> str:
        return "<captured_default_value>"


CAPTURED_DEFAULT = _CapturedDefault()


class Constraint:
    """The constraint on an argument: a structure of specs and constants, printed as in TensorFlow."""

    def __init__(self, structure: Structure, value: Any = None, given: bool = True) -> None:
        self.structure = structure
        self.value = value  # the parameter's default
        self.given = given  # from an input signature; otherwise a call may only pass the default

    def is_subtype_of(self, other: Any) -> bool:
        """Whether a trace for `other` serves arguments of this type."""
        return accepts(other.structure if isinstance(other, Constraint) else other, self.structure)

    def flatten(self) -> list[TypeSpec]:
        """The specs of the tensors in it."""
        found = [x.type if isinstance(x, Typed) else x for x in nest.flatten(self.structure)]
        return [spec for x in found if not isinstance(x, Static) for spec in x.flatten()]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constraint) and key_of(self.structure) == key_of(other.structure)

    def __hash__(self) -> int:
        return hash(key_of(self.structure))

    def __repr__(self) -> str:
        return type_text(self.structure)


_UNUSUAL = re.compile(r"[^A-Za-z0-9_]")  # characters that cannot be in an argument's name


def named_structure(signature: tuple[Any, Any] | None, names: Sequence[str]) -> Structure:
    """(args, kwargs) of a trace with constants in place, and names in the specs: `x`, `x_key_0` below a structure."""
    if signature is None:
        return None
    args, kwargs = signature
    labels = [names[i] if i < len(names) else f"args_{i}" for i in range(len(args))]
    return (
        tuple(_named(label, a) for label, a in zip(labels, args, strict=True)),
        {k: _named(k, v) for k, v in kwargs.items()},
    )


def _named(path: str, x: Any) -> Any:
    if isinstance(x, TensorSpec):
        return x if x.name else TensorSpec(x.shape, x.dtype, path)
    if nest.is_nested(x):
        keys = getattr(x, "_fields", None) or [_UNUSUAL.sub("_", str(key)) for key, _ in nest._items(x)]
        return nest.rebuild(
            x, [_named(f"{path}_{k}", child) for k, (_, child) in zip(keys, nest._items(x), strict=True)]
        )
    return x.value if type(x) is Static else x.type if type(x) is Typed else x


def type_text(x: Any) -> str:
    """The type of an argument or a result.

    >>> type_text((3, [None]))
    'Tuple[Literal[3], List[Literal[None]]]'
    """
    if isinstance(x, Static):
        return x.type_text()
    if isinstance(x, (TypeSpec, Typed)):
        return repr(x)
    fixed = nest.fixed_part(x)
    if fixed is not None:
        children = [type_text(child) for _, child in nest._items(x)]
        components = ", ".join(children) + ("," if len(children) == 1 else "")
        return f"CustomNestTraceType [metadata={fixed!r}, components=({components})]"
    if isinstance(x, dict):
        return f"Dict[{', '.join(f'[{k!r}, {type_text(v)}]' for k, v in x.items())}]"
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return f"{type(x).__name__}[{', '.join(f'[{k!r}, {type_text(v)}]' for k, v in zip(x._fields, x, strict=True))}]"
    if isinstance(x, (list, tuple)):
        return f"{'List' if isinstance(x, list) else 'Tuple'}[{', '.join(map(type_text, x))}]"
    return f"Literal[{x!r}]"
