"""The signature of a trace in words, as TensorFlow prints it: `(x: TensorSpec(…), n: Literal[3]) -> Tuple[…]`."""

from __future__ import annotations

import inspect

from reflow.core import dtypes, nest
from reflow.core.specs import TensorSpec, TypeSpec
from reflow.function.trace_key import Static, Typed

_POSITIONAL, _EITHER, _KEYWORD = "POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY"


class _CapturedDefault:
    """How the default of a parameter is printed."""

    def __repr__(self):
        return "<captured_default_value>"


CAPTURED_DEFAULT = _CapturedDefault()


def named_structure(signature, names):
    """(args, kwargs) of a trace with the values of constants in place, and names in the specs: `x`, `x_key_0` below a structure."""
    if signature is None:
        return None
    args, kwargs = signature
    labels = [names[i] if i < len(names) else f"args_{i}" for i in range(len(args))]
    return (
        tuple(_named(label, a) for label, a in zip(labels, args, strict=True)),
        {k: _named(k, v) for k, v in kwargs.items()},
    )


def _named(path: str, x):
    if isinstance(x, TensorSpec):
        return x if x.name else TensorSpec(x.shape, x.dtype, path)
    if nest.is_nested(x):
        return nest.rebuild(x, [_named(f"{path}_{key}", child) for key, child in nest._items(x)])
    return x.value if type(x) is Static else x.type if type(x) is Typed else x


def type_text(x) -> str:
    """The type of an argument or a result.

    >>> type_text((3, [None]))
    'Tuple[Literal[3], List[Literal[None]]]'
    """
    if isinstance(x, (TypeSpec, Typed)):
        return repr(x)
    if isinstance(x, dict):
        return f"Dict[{', '.join(f'[{k!r}, {type_text(v)}]' for k, v in x.items())}]"
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return f"{type(x).__name__}[{', '.join(f'[{k!r}, {type_text(v)}]' for k, v in zip(x._fields, x, strict=True))}]"
    if isinstance(x, (list, tuple)):
        return f"{'List' if isinstance(x, list) else 'Tuple'}[{', '.join(map(type_text, x))}]"
    return f"Literal[{x!r}]"


def parameters(concrete) -> list:
    """(name, kind, type) of each argument of a trace."""
    args, kwargs = concrete.graph.structured_input_signature or ((), {})
    found = [] if concrete.signature is None else list(concrete.signature.parameters.values())
    named = [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = next((p.name for p in found if p.kind is inspect.Parameter.VAR_POSITIONAL), None)
    kind = _POSITIONAL if rest is not None or concrete.signature is None else _EITHER
    names = [*named[: len(args)], *(f"{rest or 'args'}_{i}" for i in range(len(args) - len(named)))]
    return [
        *((n, kind, type_text(a)) for n, a in zip(names, args, strict=True)),
        *((n, _EITHER if n in named and kind is _EITHER else _KEYWORD, type_text(a)) for n, a in kwargs.items()),
    ]


def short_text(concrete) -> str:
    """One line."""
    words, last = [], None
    for name, kind, text in parameters(concrete):
        if last == _POSITIONAL and kind != _POSITIONAL:
            words.append("/")
        if kind == _KEYWORD and last != _KEYWORD:
            words.append("*")
        words.append(f"{name}: {text}")
        last = kind
    if last == _POSITIONAL:
        words.append("/")
    return f"({', '.join(words)}) -> {type_text(concrete.output_specs)}"


def long_text(concrete) -> str:
    """One line for each parameter, the output, and each captured tensor."""
    specs = [
        (id(t), TensorSpec([] if t.dtype is dtypes.resource else t.shape, t.dtype)) for t in concrete.captured_inputs
    ]
    captured = [f"  {key}: {spec}" for key, spec in specs]
    return "\n".join(
        [
            "Input Parameters:",
            *(f"  {n} ({kind}): {text}" for n, kind, text in parameters(concrete)),
            "Output Type:",
            f"  {type_text(concrete.output_specs)}",
            "Captures:",
            *(captured or ["  None"]),
        ]
    )
