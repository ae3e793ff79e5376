"""Functions read from a SavedModel: traces bound to their captures, and functions that choose among traces."""

from __future__ import annotations

import contextlib
import inspect
import pprint
from collections.abc import Callable, Sequence
from typing import Any

from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.resources import HandleFacts
from reflow.core.specs import TensorSpec, TypeSpec, VariableSpec
from reflow.core.tensor import EagerTensor, Tensor
from reflow.eager.variables import Variable
from reflow.function import binding
from reflow.function.concrete import ConcreteFunction, argument_names
from reflow.function.function import Function, Options
from reflow.graph.clone import clone
from reflow.graph.func_graph import FuncGraph
from reflow.ops.convert import convert_to_tensor
from reflow.saved_model import structures
from reflow.saved_model.signatures import NamedFunction


def bind(name: str, graph: FuncGraph, bound: list, proto):
    """A graph whose last inputs are captures of the given (tensor, object) pairs, and its signature."""
    arguments = len(graph.inputs) - len(bound)
    if arguments < 0 or any(
        t._dtype is not i._dtype for (t, _), i in zip(bound, graph.inputs[arguments:], strict=True)
    ):
        raise ValueError(f"The function '{name}' does not fit what it captures.")
    graph = clone(graph)  # other functions call the original, with all its inputs
    graph.parent = None
    graph.captured = {}
    kept = graph.inputs[:arguments]
    for (tensor, obj), inner in zip(bound, graph.inputs[arguments:], strict=True):
        if tensor._id in graph.captured:
            _replace(graph, inner, graph.captured[tensor._id][1])
            continue
        graph.captured[tensor._id] = (tensor, inner)
        kept.append(inner)
        if isinstance(obj, Variable):
            inner._static = inner._static or HandleFacts(obj._dims, obj._dtype)
            graph.variables_used[tensor._id] = obj
    graph.inputs = kept
    signature: tuple = structures.decode(proto.canonicalized_input_signature) or ((), {})
    if not (isinstance(signature, tuple) and len(signature) == 2):
        raise ValueError(f"The function '{name}' has a malformed input signature.")
    graph.structured_input_signature = signature  # type: ignore[assignment]
    outputs = structures.decode(proto.output_signature)
    count = sum(isinstance(s, TypeSpec) for s in nest.flatten(outputs, expand_composites=True))
    if count != len(graph.outputs):
        raise ValueError(f"The function '{name}' returns {len(graph.outputs)} tensors, its signature has {count}.")
    graph.structured_outputs = packed(outputs, graph.outputs)
    wanted = sum(isinstance(s, (TensorSpec, VariableSpec)) for s in nest.flatten(signature, expand_composites=True))
    if wanted != arguments:
        raise ValueError(f"The function '{name}' takes {arguments} tensors, its signature has {wanted}.")
    return graph, signature


def packed(outputs, tensors):
    """Flat results in the structure of a signature; values that are not tensors are kept."""
    flat = iter(tensors)

    def fill(spec):
        if isinstance(spec, TensorSpec):
            return next(flat)
        if isinstance(spec, TypeSpec):
            parts = [next(flat) for _ in nest.flatten(spec, expand_composites=True)]
            return nest.pack_sequence_as(spec, parts, expand_composites=True)
        return spec

    return nest.map_structure(fill, outputs)


def _replace(graph, old, new):
    """Let everything that uses one input use another."""
    for node in graph.nodes:
        if any(t is old for t in node.inputs):
            node.rewrite(inputs=[new if t is old else t for t in node.inputs])
    graph.outputs = [new if t is old else t for t in graph.outputs]


class LoadedFunction(NamedFunction):
    """A trace that was read from a file. Signatures take their tensors by name.

    `served`, if set, may be a faster way to run it: it takes the arguments and returns the outputs, or None.
    `bound_here`, where it captures distributed variables, makes the same trace bound to the copies of the replica that
    asks.
    """

    served: Callable[[Sequence[Any]], list[EagerTensor] | None] | None = None
    bound_here: Callable[[], LoadedFunction] | None = None

    def __init__(self, graph, signature):
        names = [t.op.name for t in graph.arguments]
        super().__init__(graph, signature, names, len(names))
        self._of_replicas: dict[int, LoadedFunction] = {}

    def call_flat(self, tensors):
        if self.bound_here is None or state.replica_context is None:
            return super().call_flat(tensors)
        replica = state.replica_context._replica_id
        if replica not in self._of_replicas:
            self._of_replicas[replica] = self.bound_here()
        return self._of_replicas[replica].call_flat(tensors)

    def _call_plain(self, tensors):
        outputs = self.served(tensors) if self.served is not None else None
        return super()._call_plain(tensors) if outputs is None else outputs

    def _flat_arguments(self, args, kwargs):
        try:
            return self._named_arguments(args, kwargs)
        except TypeError:
            # knows what else TensorFlow accepts, and its words for the rest
            return binding.flat_arguments(self, args, kwargs)

    def _named_arguments(self, args, kwargs):
        names = self.flat_names
        structured = (tuple(args), dict(kwargs))
        if not all(isinstance(a, Tensor) for a in (*args, *kwargs.values())):
            if callable_with(self, structured, False):
                return tensors_of(self, structured)
            if any(isinstance(a, dict) or _holds_mapping(a) for a in args):
                raise TypeError(f"{self.graph.name} takes {self.structured_input_signature}. Received: {structured}")
        if len(args) > self.positional:
            if callable_with(self, structured, True):
                return tensors_of(self, structured)
            raise TypeError(
                f"signature_wrapper(*, {', '.join(names)}) takes {self.positional} positional arguments but "
                f"got {len(args)}."
            )
        flat = list(args)
        missing = [n for n in names[len(args) :] if n not in kwargs]
        extra = sorted(set(kwargs) - set(names[len(args) :]))
        if missing or extra:
            if callable_with(self, structured, True):
                return tensors_of(self, structured)
            raise TypeError(f"{self.graph.name} takes the tensors {names}; missing: {missing}, unexpected: {extra}.")
        flat += [kwargs[n] for n in names[len(args) :]]
        flat = [_tensor_for(t, w) for t, w in zip(flat, self.graph.arguments, strict=True)]
        return [self._checked(t, w) for t, w in zip(flat, self.graph.arguments, strict=True)]


def _tensor_for(value, wanted: Tensor) -> Tensor:
    """A flat argument as a tensor: of a variable its handle, where a trace takes that."""
    if wanted._dtype is dtypes.resource and isinstance(value, Variable):
        return value.handle
    return value if isinstance(value, Tensor) else convert_to_tensor(value, dtype_hint=wanted._dtype)


def _holds_mapping(value) -> bool:
    return isinstance(value, (list, tuple)) and any(isinstance(v, dict) or _holds_mapping(v) for v in value)


def callable_with(concrete: ConcreteFunction, inputs, allow_conversion: bool) -> bool:
    """Whether arguments (args, kwargs) fit a trace, perhaps after becoming tensors."""
    pairs = _pairs(concrete.structured_input_signature, inputs)
    return pairs is not None and all(_fits(spec, arg, allow_conversion) for spec, arg in pairs)


def _pairs(expected, given) -> list | None:
    """Each leaf of a signature with what was given in its place; None if the structures differ."""
    if not nest.is_nested(expected):
        return [(expected, given)]
    if not nest.is_nested(given) or isinstance(expected, dict) != isinstance(given, dict):
        return None
    mine, theirs = nest._items(expected), nest._items(given)
    if len(mine) != len(theirs) or (isinstance(expected, dict) and [k for k, _ in mine] != [k for k, _ in theirs]):
        return None
    parts = [_pairs(a, b) for (_, a), (_, b) in zip(mine, theirs, strict=True)]
    return None if any(p is None for p in parts) else [pair for part in parts for pair in part or ()]


def _fits(spec, arg, allow_conversion) -> bool:
    if isinstance(spec, TensorSpec):
        if allow_conversion and not isinstance(arg, Tensor):
            try:
                arg = convert_to_tensor(arg, dtype_hint=spec.dtype)
            except (TypeError, ValueError):
                return False
        return isinstance(arg, Tensor) and spec.is_compatible_with(arg)
    if isinstance(spec, VariableSpec):
        return isinstance(arg, Variable) and spec.dtype is arg.dtype and spec.shape.is_compatible_with(arg.shape)
    if isinstance(spec, TypeSpec):
        return spec.is_compatible_with(arg)
    if isinstance(arg, Tensor):
        return arg is spec
    return bool(arg == spec)


def tensors_of(concrete: ConcreteFunction, inputs) -> list:
    """The flat tensors among arguments that fit a trace."""
    tensors: list = []
    for spec, arg in _pairs(concrete.structured_input_signature, inputs) or ():
        if isinstance(spec, TensorSpec):
            tensors.append(arg if isinstance(arg, Tensor) else convert_to_tensor(arg, dtype_hint=spec.dtype))
        elif isinstance(spec, VariableSpec):
            tensors.append(arg.handle)
        elif isinstance(spec, TypeSpec):
            tensors.extend(nest.flatten(arg, expand_composites=True))
    return tensors


class RestoredFunction(Function):
    """A `tf.function` whose Python code is gone: it chooses among the traces that were saved."""

    def __init__(self, python_function, name, traces, input_signature, jit_compile):
        super().__init__(python_function, name, input_signature, Options(autograph=False, jit_compile=jit_compile))
        self.__signature__ = python_function.__signature__  # where `inspect.getfullargspec` looks
        self.concrete_functions = traces

    def _watch_retracing(self, traced: object) -> None:
        """Each kind of argument is passed on to a saved trace; that costs little."""

    def _list_all_concrete_functions(self) -> list:
        return list(self.concrete_functions)

    _list_all_concrete_functions_for_serialization = _list_all_concrete_functions


def restored_function(proto, concrete: dict) -> RestoredFunction:
    """The function of a SavedFunction."""
    missing = [n for n in proto.concrete_functions if n not in concrete]
    if missing:
        raise ValueError(f"A function in the SavedModel has traces that are not there: {missing}.")
    traces = [concrete[n] for n in proto.concrete_functions]
    spec = structures.decode(proto.function_spec.fullargspec)
    signature = _signature(spec, proto.function_spec.is_method)

    def restored_function_body(*args, **kwargs):
        if not traces:
            raise ValueError("Found zero restored functions for caller function.")
        # arguments that fit no parameters fit no trace: the error below says which there are
        with contextlib.suppress(TypeError):
            given = signature.bind(*args, **kwargs)
            given.apply_defaults()
            args, kwargs = given.args, given.kwargs
        for allow_conversion in (False, True):
            for trace in traces:
                if callable_with(trace, (args, kwargs), allow_conversion):
                    return trace.call_flat(tensors_of(trace, (args, kwargs)))
        raise ValueError(_no_match(traces, args, kwargs))

    restored_function_body.__signature__ = signature  # type: ignore[attr-defined]
    name = traces[0].graph.name if traces else "restored_function_body"
    jit_compile = {1: True, 2: False}.get(proto.function_spec.jit_compile)
    input_signature = structures.decode(proto.function_spec.input_signature)
    function = RestoredFunction(restored_function_body, name, traces, input_signature, jit_compile)
    for trace in traces:
        trace.argument_names = argument_names(signature, len(trace.structured_input_signature[0]))
    return function


def _no_match(traces, args, kwargs) -> str:
    def positional(values):
        lines = "\n    * ".join(pprint.pformat(v) for v in values)
        return f"Positional arguments ({len(values)} total):\n    * {lines}"

    options = [
        f"Option {i + 1}:\n  {positional(t.structured_input_signature[0])}\n  Keyword arguments: "
        f"{t.structured_input_signature[1]}"
        for i, t in enumerate(traces)
    ]
    return (
        "Could not find matching concrete function to call loaded from the SavedModel. Got:\n  "
        f"{positional(args)}\n  Keyword arguments: {kwargs}\n\n Expected these arguments to match one of the "
        f"following {len(traces)} "
        "option(s):\n\n" + "\n\n".join(options)
    )


def _signature(spec, is_method: bool) -> inspect.Signature:
    """The parameters that a FullArgSpec describes, without `self`."""
    kinds = inspect.Parameter
    args = list(spec.args)
    if args and (is_method or args[0] == "self"):
        args = args[1:]
    defaults = list(spec.defaults or ())
    plain = [kinds(n, kinds.POSITIONAL_OR_KEYWORD) for n in args[: len(args) - len(defaults)]]
    optional = zip(args[len(args) - len(defaults) :], defaults, strict=True)
    plain += [kinds(n, kinds.POSITIONAL_OR_KEYWORD, default=d) for n, d in optional]
    if spec.varargs:
        plain.append(kinds(spec.varargs, kinds.VAR_POSITIONAL))
    keyword = spec.kwonlydefaults or {}
    plain += [kinds(n, kinds.KEYWORD_ONLY, default=keyword.get(n, kinds.empty)) for n in spec.kwonlyargs or ()]
    if spec.varkw:
        plain.append(kinds(spec.varkw, kinds.VAR_KEYWORD))
    return inspect.Signature(plain)
