"""Input signatures: the constraints of `tf.function(input_signature=…)` on the arguments.

Every parameter has one: the user's spec, or, for parameters beyond those, the default value, which is the only value a
call may pass. So such a function has exactly one trace.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from reflow.core import nest
from reflow.core.specs import TensorSpec, TypeSpec
from reflow.core.tensor import EagerTensor, Tensor
from reflow.core.types import Structure
from reflow.function.signature_text import CAPTURED_DEFAULT, Constraint, type_text
from reflow.function.trace_key import Static, spec_of
from reflow.ops.convert import convert_to_tensor


class FunctionSpec(inspect.Signature):
    """A function's parameters, with the names that can be passed by position, in the form of TensorFlow's functions."""

    __slots__ = ()

    @property
    def arg_names(self) -> list[str]:
        positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return [p.name for p in self.parameters.values() if p.kind in positional]

    @property
    def fullargspec(self) -> inspect.FullArgSpec:
        """The parameters as `inspect.getfullargspec` describes them.

        >>> FunctionSpec(inspect.signature(lambda x, y=2, *, z: None).parameters.values()).fullargspec[:4]
        (['x', 'y'], None, None, (2,))
        """

        def function() -> None: ...

        vars(function)["__signature__"] = self
        return inspect.getfullargspec(function)


class InputSignature:
    """The specs of a function's arguments, and how arguments are bound and cast to them.

    >>> import inspect
    >>> s = InputSignature([TensorSpec([])], inspect.signature(lambda x, y=2: None))
    >>> s
    (x: TensorSpec(shape=(), dtype=tf.float32, name=None), y: Literal[2] = <captured_default_value>)
    >>> s.bind((1.0,), {})
    ((<tf.Tensor: shape=(), dtype=float32, numpy=1.0>, 2), {})
    """

    def __init__(self, specs: Any, signature: inspect.Signature | None) -> None:
        self.specs = _checked(specs)
        if signature is None:  # the parameters of a builtin are unknown
            kind = inspect.Parameter.POSITIONAL_ONLY
            plain = [inspect.Parameter(f"args_{i}", kind) for i in range(len(self.specs))]
            signature = inspect.Signature(plain)
        self.signature = inspect.Signature(_constrained(list(self.specs), signature))
        self.structure = self._structure()

    def __repr__(self) -> str:
        return str(self.signature)

    def _structure(self) -> tuple[tuple, dict[str, Structure]]:
        """All arguments of the one trace, as (args, kwargs) of specs and constants."""
        parameters = self.signature.parameters.values()
        keyword = inspect.Parameter.KEYWORD_ONLY
        args = tuple(p.annotation.structure for p in parameters if p.kind is not keyword)
        return args, {p.name: p.annotation.structure for p in sorted(parameters, key=_name) if p.kind is keyword}

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[tuple, dict]:
        """The arguments cast to the signature, with defaults filled in.

        Tensors and constants, or specs in their place.
        """
        try:
            bound = self.signature.bind(*args, **kwargs)
            for name, parameter in self.signature.parameters.items():
                constraint = parameter.annotation
                given = bound.arguments.get(name, constraint.value)
                bound.arguments[name] = _cast(constraint.structure, given, name)
        except _WrongType as error:
            raise TypeError(str(error)) from None
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{error}`. Received args: {args} and kwargs: {kwargs} "
                f"for signature: {self}."
            ) from None
        return bound.args, bound.kwargs


class _WrongType(Exception):
    """A tensor where the signature has a constant: TensorFlow has a different message for this."""


def _name(parameter: inspect.Parameter) -> str:
    return parameter.name


def _checked(specs: Any) -> tuple:
    if not isinstance(specs, (list, tuple)):
        raise TypeError(f"input_signature must be either a tuple or a list, got {type(specs)}.")
    wrong = [spec for spec in nest.flatten(tuple(specs)) if not isinstance(spec, TypeSpec)]
    if wrong:
        raise TypeError(
            f"input_signature must be a possibly nested sequence of TensorSpec objects, got invalid args {wrong} with "
            f"types {[type(w) for w in wrong]}."
        )
    return tuple(specs)


def _constrained(specs: list, signature: inspect.Signature) -> list[inspect.Parameter]:
    """One parameter per argument, annotated with its constraint. An unbound `self` has none yet."""
    kinds = inspect.Parameter
    parameters = [p for p in signature.parameters.values() if p.name != "self" and p.kind is not kinds.VAR_KEYWORD]
    expanded = any(p.kind is kinds.VAR_POSITIONAL for p in parameters)
    out: list[inspect.Parameter] = []
    for p in parameters:
        if p.kind is kinds.VAR_POSITIONAL:
            out += [
                kinds(f"{p.name}_{i}", kinds.POSITIONAL_ONLY, annotation=Constraint(spec))
                for i, spec in enumerate(specs)
            ]
            specs = []
            continue
        kind = kinds.POSITIONAL_ONLY if expanded and p.kind is kinds.POSITIONAL_OR_KEYWORD else p.kind
        required = p.default is p.empty
        if kind is kinds.KEYWORD_ONLY and required:
            raise TypeError(
                f"Since input_signature is defined, keyword-only parameter `{p.name}` must have a default value"
            )
        if specs:
            constraint, specs = Constraint(specs[0], None if required else p.default), specs[1:]
        elif required:
            raise TypeError(f"input_signature missing type constraint for {p.name}")
        else:
            constraint = Constraint(spec_of(p.default), p.default, given=False)
        out.append(kinds(p.name, kind, default=p.empty if required else CAPTURED_DEFAULT, annotation=constraint))
    if specs:
        raise TypeError(f"input_signature contains {len(specs)} extra type constraints.")
    return out


# --- casting ----------------------------------------------------------------------------------------------------------


def _cast(wanted: Structure, given: Any, name: str) -> Any:
    """An argument in the form of its constraint; TypeError if it does not fit."""
    if nest.is_nested(wanted):
        _check_form(wanted, given)
        pairs = zip(nest._items(wanted), nest._items(given), strict=True)
        return nest.rebuild(given, [_cast(w, g, name) for (_, w), (_, g) in pairs])
    if isinstance(wanted, TensorSpec):
        return _cast_tensor(wanted, given)
    if isinstance(wanted, TypeSpec):
        return _checked_composite(wanted, given)
    return _cast_constant(wanted, given, name)


def _check_form(wanted: Structure, given: Any) -> None:
    """Reject a structure of another kind, with other keys or of another length; a namedtuple counts as a tuple."""
    if isinstance(wanted, dict):
        if not isinstance(given, dict):
            raise TypeError(f"Can not cast {given!r} to a Dict type.")
        if set(wanted) != set(given):
            raise TypeError(f"{given!r} has different keys with the TraceType {type_text(wanted)}.")
    elif hasattr(wanted, "_fields"):
        if type(given) is not type(wanted):
            raise TypeError(f"Cannot cast {given!r} to type {type(wanted)!r}.")
    elif nest.fixed_part(wanted) is not None:
        if not isinstance(given, type(wanted)):
            raise TypeError(f"[{given!r}] is not of type {type(wanted)}.")
        if nest.fixed_part(given) != nest.fixed_part(wanted):
            raise ValueError(f"Metadata mismatch: [{nest.fixed_part(wanted)!r}] != [{nest.fixed_part(given)!r}].")
    elif not isinstance(given, type(wanted)):
        raise TypeError(f"Can not cast {given!r} to {type(wanted).__name__} type.")
    elif len(wanted) != len(given):
        raise TypeError(f"Expected {given!r} to have length of {len(wanted)}")


def _cast_tensor(spec: TensorSpec, given: Any) -> Any:
    if isinstance(given, TensorSpec):
        if not spec.is_compatible_with(given):
            raise TypeError(f"Can not cast {given!r} to {spec!r}")
        return given
    tensor = convert_to_tensor(given, dtype_hint=spec.dtype)
    if tensor._dtype is not spec.dtype and not isinstance(given, EagerTensor):
        tensor = convert_to_tensor(given, spec.dtype)
    if not spec.is_compatible_with(tensor):
        raise TypeError(f"Can not cast {TensorSpec(tensor.shape, tensor.dtype, spec.name)!r} to {spec!r}")
    return tensor


def _checked_composite(spec: TypeSpec, given: Any) -> Any:
    """A composite whose tensors match the types and shapes of a spec."""
    if isinstance(given, TypeSpec):
        if not spec.is_compatible_with(given):
            raise TypeError(f"Can not cast {given!r} to {spec!r}")
    elif isinstance(given, Tensor) or not isinstance(given, spec.value_type):
        raise TypeError(f"Can not cast {given!r} to {spec!r}")
    elif getattr(given, "_is_composite", False):
        for wanted, tensor in zip(nest.flatten(spec, True), nest.flatten(given, True), strict=True):
            if tensor.dtype is not wanted.dtype or not tensor.shape.is_compatible_with(wanted.shape):
                raise TypeError(f"Can not cast {TensorSpec(tensor.shape, tensor.dtype)!r} to {wanted!r}")
    return given


def _cast_constant(wanted: Any, given: Any, name: str) -> Any:
    wanted = wanted if isinstance(wanted, Static) else Static(wanted)  # a loaded function has the values themselves
    if isinstance(given, (Tensor, TensorSpec)):
        spec = TensorSpec(given.shape, given.dtype)
        raise _WrongType(f"Parameter `{name}` was expected to be of type {type_text(wanted)} but is {spec!r}")
    if given is not wanted.value and not bool(given == wanted.value):
        raise TypeError(f"Can not cast {given!r} to {type_text(wanted)}")
    return wanted.value
