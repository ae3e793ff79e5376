"""`FunctionType`: the types of a function's arguments, captures and results, as an annotated `inspect.Signature`.

A trace has one with all types (`ConcreteFunction.function_type`), a `tf.function` one with its parameter names and the
constraints of its input signature. It prints as in TensorFlow: `(x: TensorSpec(…), n: Literal[3]) -> TensorSpec(…)`.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reflow.core import dtypes, nest
from reflow.core.specs import TensorSpec, TypeSpec
from reflow.core.types import Structure
from reflow.function.signature_text import CAPTURED_DEFAULT, Constraint

if TYPE_CHECKING:
    from reflow.function.concrete import ConcreteFunction


_EMPTY = inspect.Parameter.empty


class Parameter(inspect.Parameter):
    """A parameter with the type that its arguments must have; None accepts any.

    It is constructed as in TensorFlow, `Parameter(name, kind, optional, type_constraint)`, or as an
    `inspect.Parameter`.
    """

    def __init__(
        self, name: str, kind: Any, optional: bool = False, type_constraint: Any = None, *, default: Any = _EMPTY,
        annotation: Any = _EMPTY,
    ) -> None:
        if type_constraint is not None:
            annotation = type_constraint if isinstance(type_constraint, Constraint) else Constraint(type_constraint)
        super().__init__(name, kind, default=CAPTURED_DEFAULT if optional else default, annotation=annotation)

    optional = property(lambda self: self.default is not _EMPTY)

    @property
    def type_constraint(self) -> Any:
        if isinstance(self.annotation, Constraint):
            structure = self.annotation.structure
            return structure if isinstance(structure, TypeSpec) else self.annotation
        return None

    def __repr__(self) -> str:
        return (
            f"Parameter(name={self.name}, kind={self.kind!s}, optional={self.optional!r}, "
            f"type_constraint={self.type_constraint!r})"
        )


class FunctionType(inspect.Signature):
    """The type of a function; `tf.types.experimental.FunctionType`.

    Args:
      parameters: The parameters, `inspect.Parameter`s.
      captures: The specs of captured tensors, by an id of the tensor.
      return_annotation: The type of the result.
      output: The structure of the result's specs.

    >>> FunctionType([Parameter("x", Parameter.POSITIONAL_OR_KEYWORD, annotation=Constraint(TensorSpec([])))])
    Input Parameters:
      x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(), dtype=tf.float32, name=None)
    Output Type:
      None
    Captures:
      None
    """

    def __init__(
        self, parameters: Sequence[inspect.Parameter], captures: Any = None, return_annotation: Any = _EMPTY,
        output: Structure = None,
    ) -> None:
        super().__init__(parameters, return_annotation=return_annotation)
        self._captures = captures or OrderedDict()
        self._output = output

    captures = property(lambda self: self._captures, doc="The specs of captured tensors, by an id of the tensor.")
    flat_captures = property(lambda self: list(self._captures.values()))
    flat_outputs = property(lambda self: _tensors_of(self._output))

    @property
    def output(self) -> Any:
        """The type of the result; None if unknown."""
        annotation = self.return_annotation
        if annotation is _EMPTY:
            return None
        return annotation.structure if isinstance(annotation.structure, TypeSpec) else annotation

    @property
    def flat_inputs(self) -> list:
        """The specs of the tensors that a call passes, without captures."""
        constraints = [p.annotation for p in self.parameters.values() if isinstance(p.annotation, Constraint)]
        return [spec for c in constraints for spec in _tensors_of(c.structure)]

    def bind_with_defaults(self, args: Sequence[Any], kwargs: dict[str, Any], default_values: dict[str, Any]) -> Any:
        """Returns the arguments of a call by name.

        Args:
          args: The positional arguments.
          kwargs: The keyword arguments.
          default_values: Values for omitted arguments, by name.

        Returns:
          An `inspect.BoundArguments`.
        """
        bound = self.bind(*args, **kwargs)
        for name, parameter in self.parameters.items():
            if name not in bound.arguments and name in default_values:
                bound.arguments[name] = default_values[name]
            elif name not in bound.arguments and parameter.kind is parameter.VAR_POSITIONAL:
                bound.arguments[name] = ()
        return bound

    def __repr__(self) -> str:
        own: list[Any] = list(self.parameters.values())
        parameters = [f"  {p.name} ({p.kind!s}): {p.type_constraint!r}" for p in own]
        captured = [f"  {key}: {spec}" for key, spec in self._captures.items()] or ["  None"]
        return "\n".join(
            ["Input Parameters:", *parameters, "Output Type:", f"  {self.output!r}", "Captures:", *captured]
        )


def _tensors_of(structure: Structure) -> list:
    return [s for s in nest.flatten(structure, expand_composites=True) if isinstance(s, TypeSpec)]


def of_python(signature: inspect.Signature | None) -> FunctionType:
    """The type of a Python function: its parameters, without default values."""
    found = () if signature is None else signature.parameters.values()
    return FunctionType([Parameter(p.name, p.kind, default=p.default, annotation=p.annotation) for p in found])


def of_trace(concrete: ConcreteFunction) -> FunctionType:
    """The type of a trace."""
    args, kwargs = concrete.graph.structured_input_signature or ((), {})
    found = [] if concrete.signature is None else list(concrete.signature.parameters.values())
    named = [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = next((p.name for p in found if p.kind is Parameter.VAR_POSITIONAL), None)
    by_position = rest is not None or concrete.signature is None
    if concrete.signature is None and args and len(concrete.argument_names) >= len(args):  # of a file
        named, by_position = list(concrete.argument_names), False
    only = [p.name for p in found if p.kind is p.POSITIONAL_ONLY]
    names = [*named[: len(args)], *(f"{rest or 'args'}_{i}" for i in range(len(args) - len(named)))]

    def parameter(name: str, structure: Structure, keyword: bool) -> Parameter:
        if keyword and (by_position or name not in named):
            return Parameter(name, Parameter.KEYWORD_ONLY, annotation=Constraint(structure))
        first = not keyword and (by_position or name in only)
        kind = Parameter.POSITIONAL_ONLY if first else Parameter.POSITIONAL_OR_KEYWORD
        return Parameter(name, kind, annotation=Constraint(structure))

    parameters = [parameter(name, a, False) for name, a in zip(names, args, strict=True)]
    parameters += [parameter(name, a, True) for name, a in kwargs.items()]
    captures = OrderedDict(
        (id(t), TensorSpec([] if t.dtype is dtypes.resource else t.shape, t.dtype)) for t in concrete.captured_inputs
    )
    output = concrete.output_specs
    return FunctionType(parameters, captures, Constraint(output), output)
