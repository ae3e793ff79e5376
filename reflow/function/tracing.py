"""Tracing: run a Python function once on symbolic tensors and keep the resulting graph."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from reflow.core import dtypes, nest
from reflow.core.context import state, swapped
from reflow.core.logging import warn
from reflow.core.resources import HandleFacts
from reflow.core.specs import TensorSpec, TypeSpec, VariableSpec
from reflow.core.tensor import Tensor
from reflow.core.types import Structure
from reflow.eager.variable_enums import VariableAggregation, VariableSynchronization
from reflow.eager.variables import Variable
from reflow.function.trace_key import Static, Typed
from reflow.graph.func_graph import FuncGraph
from reflow.graph.graph import SymbolicTensor
from reflow.graph.names import LEGAL
from reflow.graph.node import Trace
from reflow.ops import registry
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import dispatch

#: listeners that are told of every traced graph (`tf.summary.trace_on`)
LISTENERS: list = []


def placeholders(graph: FuncGraph, structure: Structure, name: str, variables: dict) -> Structure:
    """Symbolic arguments for a structure of specs.

    `Static` leaves become their values. Specs of the same variable become one object: the caller's, if it is among
    `variables`, and the argument then represents it in this graph.
    """

    def make(spec: Any) -> Any:
        if type(spec) is Static:
            return spec.value
        if type(spec) is Typed:
            return spec.value()
        if isinstance(spec, VariableSpec):
            handle = graph.add_input(dtypes.resource, (), name, HandleFacts(spec.shape._dims, spec.dtype))
            if spec.alias_id is None or spec.alias_id not in variables:
                variables[spec.alias_id] = variable_around(handle, spec)
            variable = variables[spec.alias_id]
            if variable.handle is not handle:
                graph.stand_ins.setdefault(variable.handle._id, handle)
            return variable
        if isinstance(spec, TensorSpec):
            return graph.add_input(spec.dtype, spec.shape._dims, _legal(spec.name) or name)
        if isinstance(spec, TypeSpec):
            components = nest.map_structure(make, spec._component_specs)
            return spec._from_components(components)
        return spec

    return nest.map_structure(make, structure)


def arguments_of(structure: Structure) -> Structure:
    """The arguments for which a structure of specs was made, with specs in place of tensors."""

    def make(leaf: Any) -> Any:
        return leaf.value if type(leaf) is Static else leaf.value() if type(leaf) is Typed else leaf

    return nest.map_structure(make, structure)


def _legal(name: str | None) -> str | None:
    """The name of a spec; as in TensorFlow, an invalid node name is replaced with a warning."""
    if name is None or LEGAL.match(name):
        return name
    warn(f"`{name}` is not a valid node name. Accepted names conform to Regex /{LEGAL!r}/")
    return "Placeholder"


def variable_around(handle: SymbolicTensor, spec: VariableSpec) -> Variable:
    """A Variable object whose handle is a tensor of the graph being traced."""
    variable: Any = object.__new__(Variable)
    variable._handle = handle
    variable._dtype, variable._dims = spec.dtype, spec.shape._dims
    variable._trainable, variable._constraint = spec.trainable, None
    variable._shared_name = "variable"
    variable._synchronization, variable._aggregation = VariableSynchronization.AUTO, VariableAggregation.NONE
    variable._read_attrs = {"dtype": variable._dtype, "_handle_shape": variable._dims}
    return variable


def outputs_of(result: Structure, function: Callable[..., Any] | None = None, body: Any = None) -> Structure:
    """A function's result as a structure of tensors and composites: other values are converted, `None` stays.

    If `function`, a `tf.function`, is given, it returns no Operations, and each of its results is a separate `Identity`
    node. `body` is the function of a branch, for messages.
    """

    def to_tensor(x: Any) -> Any:
        if x is None or isinstance(x, Tensor) or getattr(x, "_is_composite", False):
            return marked(x) if function is not None else x
        if hasattr(x, "record") and function is None:  # an Operation: it has no value
            return None
        try:
            if function is None:
                return convert_to_tensor(x)
            with state.graph.name_scope_for("Const"):
                constant = convert_to_tensor(x)
            return marked(constant)
        except (ValueError, TypeError) as error:
            kind = "Operation" if hasattr(x, "record") else type(x).__name__
            raise TypeError(
                "To be compatible with tf.function, Python functions must return zero or more Tensors or "
                f"ExtensionTypes or None values; in compilation of {function or body}, found return value of type "
                f"{kind}, which is not a Tensor or ExtensionType."
            ) from error

    if function is not None:  # variables are read first
        result = nest.map_structure(_read, result)
    return nest.map_structure(to_tensor, result)


def _read(x: Any) -> Any:
    if not isinstance(x, Variable):
        return x
    with state.graph.name_scope_for("ReadVariableOp"):
        return convert_to_tensor(x)


def trace_to_graph(
    python_function: Callable[..., Any], name: str, arg_specs: Sequence[Structure] = (),
    kwarg_specs: dict[str, Structure] | None = None, autograph: bool = False, graph: FuncGraph | None = None,
    forbid_variables: str | None = None, names: Sequence[str] = (), autograph_options: Any = None,
    mark_results: bool = False, variables: dict | None = None,
) -> FuncGraph:
    """Trace `python_function(*args, **kwargs)` on placeholders created from structures of specs.

    `names` are the names of the arguments, `variables` the call's variables by alias. With `mark_results` each result
    is a separate `Identity` node, as in TensorFlow's functions.

    >>> g = trace_to_graph(lambda x: x + 1.0, "inc", (TensorSpec([None]),))
    >>> g.outputs[0].shape
    TensorShape([None])
    """
    graph = graph or FuncGraph(name)
    graph.creation_forbidden = forbid_variables
    original = python_function
    if autograph:
        python_function = convert_for_autograph(python_function, autograph_options)
    anywhere: Any = contextlib.nullcontext()
    if state.graph is None:  # the function runs where it is called
        graph.device_outside, anywhere = state.device, swapped(device="")
    with anywhere, graph.as_default(), Trace():
        variables = dict(variables or {})
        named = zip(arg_specs, [*names, *["args"] * len(arg_specs)], strict=False)
        args = [placeholders(graph, spec, name, variables) for spec, name in named]
        kwargs = {name: placeholders(graph, spec, name, variables) for name, spec in (kwarg_specs or {}).items()}
        before = _parts((args, kwargs)) if mark_results else None
        result = python_function(*args, **kwargs)
        if before is not None and _differ(before, _parts((args, kwargs))):
            raise _modified(original, before, args, kwargs)
        graph.structured_input_signature = (tuple(arg_specs), dict(kwarg_specs or {}))
        graph.set_outputs(outputs_of(result, original if mark_results else None))
        for callback in graph.exit_callbacks:
            callback()
    for listener in LISTENERS:
        listener(graph)
    return graph


Trace.code = trace_to_graph.__code__


def _parts(x: Any) -> Any:
    """A structure as lists of (key, part), to detect changes after the function has run."""
    return [(key, _parts(child)) for key, child in nest._items(x)] if nest.is_nested(x) else x


def _differ(before: Any, after: Any) -> bool:
    """Whether a structure was modified: a list has grown, or an entry is another object."""
    if not (isinstance(before, list) and isinstance(after, list)):
        return before is not after
    return len(before) != len(after) or any(
        k != j or _differ(a, b) for (k, a), (j, b) in zip(before, after, strict=True)
    )


def _modified(function: Callable[..., Any], before: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> ValueError:
    signature = inspect.signature(function)
    old_args, old_kwargs = [dict(part) for _, part in before]
    old = signature.bind(*old_args.values(), **old_kwargs).arguments
    new = signature.bind(*map(_parts, args), **{k: _parts(v) for k, v in kwargs.items()}).arguments
    names = [name for name in old if _differ(_parts(old[name]), _parts(new[name]))]
    return ValueError(
        f"{getattr(function, '__qualname__', type(function).__name__)}{signature} should not modify its Python input "
        f"arguments. Modifying a copy is allowed. The following parameter(s) were modified: {', '.join(names)}"
    )


def marked(x: Any) -> Any:
    """A function's result as outputs of `Identity` nodes named `Identity`, `Identity_1`…; the schedule drops them."""
    if isinstance(x, Tensor):
        return x if x._dtype.kind == "o" else dispatch(IDENTITY, (x,), {})
    return nest.map_structure(marked, x, expand_composites=True) if getattr(x, "_is_composite", False) else x


IDENTITY = registry.get("Identity")


def convert_for_autograph(function: Callable[..., Any], optional_features: Any = None) -> Callable[..., Any]:
    """Installed by `reflow.api.autograph.status`."""
    return function


def install_autograph(converter: Callable[..., Any]) -> None:
    global convert_for_autograph
    convert_for_autograph = converter
