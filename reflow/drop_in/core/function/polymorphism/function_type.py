"""`tensorflow.core.function.polymorphism.function_type`: parameters and types of functions."""

import inspect

from reflow.function.function_type import FunctionType, of_python
from reflow.function.function_type import Parameter as Parameter
from reflow.function.input_signature import _constrained
from reflow.function.signature_text import CAPTURED_DEFAULT, Constraint

POSITIONAL_ONLY = inspect.Parameter.POSITIONAL_ONLY
POSITIONAL_OR_KEYWORD = inspect.Parameter.POSITIONAL_OR_KEYWORD
KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY


def sanitize_arg_name(name: str) -> str:
    """A name as a node of a graph may have it: characters but letters, digits, underscores become underscores."""
    clean = "".join(letter if letter.isalnum() else "_" for letter in name)
    return clean if clean[:1].isalpha() else f"arg_{clean}"


def of_callable(function) -> tuple[FunctionType, dict]:
    """The type of a Python function without constraints, and its default values by name."""
    found = inspect.signature(function).parameters.values()
    shown = [
        p.replace(annotation=p.empty, default=p.empty if p.default is p.empty else CAPTURED_DEFAULT) for p in found
    ]
    return of_python(inspect.Signature(shown)), {p.name: p.default for p in found if p.default is not p.empty}


def add_type_constraints(function_type: FunctionType, input_signature, default_values: dict) -> FunctionType:
    """A type whose parameters take what an input signature says; behind its end, what their defaults are."""
    own = list(function_type.parameters.values())
    values = [p.replace(default=default_values.get(p.name, p.empty)) for p in own]
    first = [p for p in own[:1] if p.name == "self"]
    bare = inspect.Signature([inspect.Parameter(p.name, p.kind, default=p.default) for p in values])
    return of_python(inspect.Signature([*first, *_constrained(list(input_signature), bare)]))


def to_fullargspec(function_type: FunctionType, default_values: dict) -> inspect.FullArgSpec:
    """The parameters in the form of `inspect.getfullargspec`."""
    by_kind: dict = {}
    for p in function_type.parameters.values():
        by_kind.setdefault(p.kind, []).append(p.name)
    positional = [*by_kind.get(POSITIONAL_ONLY, ()), *by_kind.get(POSITIONAL_OR_KEYWORD, ())]
    keywords = by_kind.get(KEYWORD_ONLY, [])
    defaults = tuple(default_values[name] for name in positional if name in default_values)
    return inspect.FullArgSpec(
        positional, next(iter(by_kind.get(inspect.Parameter.VAR_POSITIONAL, ())), None),
        next(iter(by_kind.get(inspect.Parameter.VAR_KEYWORD, ())), None), defaults or None, keywords,
        {name: default_values[name] for name in keywords if name in default_values} or None, {},
    )


def to_input_signature(function_type: FunctionType):
    """The specs that were given for the parameters, as a tuple; None if there are none."""
    given = []
    for p in function_type.parameters.values():
        if isinstance(p.annotation, Constraint) and p.annotation.given:
            given.append(p.annotation.structure)
        elif p.name != "self":
            break
    return tuple(given) or None
