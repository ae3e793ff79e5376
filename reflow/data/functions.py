"""User functions in pipelines: traced once, with elements as arguments.

A function of a tuple gets its items as arguments; a returned list counts as a tuple. Tensors from outside are captured
and become inputs of the dataset op.
"""

from __future__ import annotations

from reflow.api.control.py_functions import py_function
from reflow.core import nest
from reflow.core.specs import TypeSpec
from reflow.data import structure
from reflow.function import tracing
from reflow.graph.func_graph import FuncGraph


class Debugging:
    """Whether functions run as Python (`tf.data.experimental.enable_debug_mode`)."""

    on = False


debugging = Debugging()


def _as_python(function, arguments: tuple):
    """A function that calls the user's on eager tensors whenever it runs."""
    spec: list = []

    def eagerly(*flat):
        packed = structure.from_components(arguments, list(flat))
        element = structure.normalize(function(*packed))
        return structure.to_components(structure.spec_of(element), element)

    def graph_function(*values):
        returned = function(*values)  # for the specs of what it returns
        element = structure.normalize(tuple(returned) if isinstance(returned, list) else returned)
        spec[:] = [structure.spec_of(element)]
        kinds = structure.flat_specs(spec[0])
        inputs = structure.to_components(arguments, tuple(values))
        outputs = py_function(eagerly, inputs, [s.dtype for s in kinds]) if kinds else []
        for tensor, one in zip(outputs, kinds, strict=True):
            tensor.set_shape(one.shape)
        return structure.from_components(spec[0], outputs)

    graph_function.__name__ = getattr(function, "__name__", "function")
    return graph_function


class Traced:
    """A traced function: its graph, the tensors it captures, and the spec of what it returns."""

    def __init__(self, function, transformation: str, argument_spec):
        if not callable(function):
            raise ValueError(
                f"Argument `func` must be a callable. Received func={function!r} (of type {type(function)!r})"
            )
        arguments = argument_spec if type(argument_spec) is tuple else (argument_spec,)
        converted = _as_python(function, arguments) if debugging.on else tracing.convert_for_autograph(function)
        result: list = []

        def body(*arguments):
            returned = converted(*structure.sized(arguments))
            if isinstance(returned, list):
                returned = tuple(returned)
            try:
                element = structure.normalize(returned)
                spec = structure.spec_of(element)
            except (TypeError, ValueError) as error:
                raise TypeError(
                    f"Unsupported return value from function passed to Dataset.{transformation}(): {returned}."
                ) from error
            result.append(spec)
            return structure.to_components(spec, element)

        label = getattr(function, "__name__", type(function).__name__)
        for symbol in "<>\\' ":
            label = label.replace(symbol, "")
        self.graph: FuncGraph = tracing.trace_to_graph(body, f"Dataset_{transformation}_{label}", arguments)
        self.output_spec = result[-1]

    @property
    def captured(self) -> list:
        return [outer for outer, _ in self.graph.captures]

    @property
    def captured_types(self) -> list:
        return [t.dtype for t in self.captured]


def state_function(function, transformation: str, state_spec, element_spec, pick):
    """Trace a function of (state, element) until the state's spec admits what the function makes of it.

    `pick(output_spec)` is the spec of the new state in what the function returns. Returns (traced, state spec).
    """
    while True:
        traced = Traced(function, transformation, (state_spec, element_spec))
        new = pick(traced.output_spec)
        _check_state(transformation, state_spec, new)
        relaxed = structure.map_specs(_relax, state_spec, new)
        if nest.flatten(relaxed) == nest.flatten(state_spec):
            return traced, state_spec
        state_spec = relaxed


def _relax(old: TypeSpec, new: TypeSpec):
    return old if old == new else old.most_specific_compatible_type(new)


def _check_state(transformation, state_spec, new):
    try:
        nest.assert_same_structure(state_spec, new)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"Invalid `{transformation}_func`. The state it returns must have the structure of the initial state: "
            f"expected {state_spec}, received {new}."
        ) from error
    for old, other in zip(nest.flatten(state_spec), nest.flatten(new), strict=True):
        if type(old) is not type(other):
            raise TypeError(
                f"Invalid `{transformation}_func`. The element classes for the new state must match the initial state. "
                f"Expected {type(old).__name__}; got {type(other).__name__}."
            )
        if getattr(old, "dtype", None) is not getattr(other, "dtype", None):
            raise TypeError(
                f"Invalid `{transformation}_func`. The element types for the new state must match the initial state. "
                f"Expected {old.dtype!s}, got {other.dtype!s}."
            )
