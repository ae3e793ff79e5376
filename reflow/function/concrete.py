"""`ConcreteFunction`: one trace of a function, ready to call."""

from __future__ import annotations

import inspect
from collections import ChainMap
from collections.abc import Callable, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

from reflow.core import nest
from reflow.core.context import state
from reflow.core.specs import TensorSpec
from reflow.core.tensor import EagerTensor, Tensor
from reflow.core.types import Attrs, Proto, Structure, Value
from reflow.function import implementations
from reflow.function.gradients import CallGradient, NodeGradient, call_gradient, call_graph, carries_cotangent
from reflow.function.untaken_branches import connect_untaken
from reflow.graph.func_graph import PLACEHOLDER, FuncGraph
from reflow.graph.graph import Node, SymbolicTensor
from reflow.ops.dispatch import dispatch, run
from reflow.ops.kernels.control.flow import truth
from reflow.ops.protocols import Cotangents, TensorGradient, Tensors, Wanted
from reflow.ops.reverse import Recorder, dense, reverse
from reflow.tracking.trackable import Trackable

if TYPE_CHECKING:
    from reflow.function.atomic import AtomicFunction
    from reflow.function.function_type import FunctionType
    from reflow.graph.graph import Graph


def argument_names(signature: inspect.Signature | None, count: int) -> tuple:
    """The names of `count` positional arguments, then of keywords: those in `*xs` are `xs_0`, `xs_1`…

    >>> import inspect
    >>> argument_names(inspect.signature(lambda x, *rest, k=1: None), 3)
    ('x', 'rest_0', 'rest_1', 'k')
    """
    names: list[str] = []
    for parameter in signature.parameters.values() if signature is not None else ():
        if parameter.kind is parameter.VAR_POSITIONAL:
            names.extend(f"{parameter.name}_{i}" for i in range(count - len(names)))
        elif parameter.kind is not parameter.VAR_KEYWORD:
            names.append(parameter.name)
    return tuple(names)


class ConcreteFunction(Trackable):
    """A function of fixed dtypes and partial shapes. `tf.function(...).get_concrete_function(...)` makes it.

    Args:
      graph: The graph of the function.
      structure: The arguments that it was traced for.
      argument_names: Their names.
      signature: The signature of the Python function.

    >>> f = tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec([], tf.float32))
    >>> f(tf.constant(3.0)).numpy().item()
    6.0
    """

    def __init__(
        self, graph: FuncGraph, structure: Structure | None = None, argument_names: Sequence[str] = (),
        signature: inspect.Signature | None = None,
    ) -> None:
        self.graph = graph
        self.structure = structure
        self.argument_names = argument_names
        self.signature = signature  # of the Python function, an inspect.Signature
        self._captured = graph.external_captures
        self._captured_values: list[Value] | None = None
        self._dtypes = [t._dtype for t in graph.outputs]
        self._type: FunctionType | None = None

    # --- facts

    inputs = property(lambda self: list(self.graph.inputs))
    outputs = property(lambda self: list(self.graph.outputs))
    captured_inputs = property(lambda self: list(self._captured))
    function_name = property(
        lambda self: f"__inference_{self.graph.name}_{self.graph.version_id}", doc="The name as text."
    )
    name = property(
        lambda self: self.function_name.encode(), doc="The name in files, as bytes, which TensorFlow gives."
    )
    variables = property(lambda self: self.graph.variables)
    trainable_variables = property(lambda self: self.graph.trainable_variables)
    structured_outputs = property(lambda self: self.graph.structured_outputs)
    output_dtypes = property(lambda self: self._of_components(lambda spec: spec.dtype))
    output_shapes = property(lambda self: self._of_components(lambda spec: spec.shape))

    @property
    def structured_input_signature(self) -> Structure:
        """The arguments as (args, kwargs) of named specs and Python values."""
        from reflow.function.signature_text import named_structure

        return named_structure(self.graph.structured_input_signature, self.argument_names)

    @property
    def function_type(self) -> FunctionType:
        """The types of arguments, results and captures, as an `inspect.Signature`."""
        if self._type is None:
            from reflow.function.function_type import of_trace

            self._type = of_trace(self)
        return self._type

    @property
    def inference_fn(self) -> AtomicFunction:
        """The graph function alone, without gradients."""
        from reflow.function.atomic import AtomicFunction

        return AtomicFunction(self)

    _inference_function = inference_fn

    @property
    def output_specs(self) -> Structure:
        """The outputs as specs, in the structure the function returns."""

        def spec(x: Any) -> Any:
            return None if x is None else getattr(x, "_type_spec", None) or TensorSpec(x.shape, x.dtype)

        return nest.map_structure(spec, self.graph.structured_outputs)

    def _of_components(self, fact: Callable[[TensorSpec], Any]) -> Structure:
        """A fact about each output tensor; for a composite, the structure of its components' facts."""

        def of(spec: Any) -> Any:
            if isinstance(spec, (TensorSpec, type(None))):
                return None if spec is None else fact(spec)
            return nest.map_structure(of, spec._component_specs)

        return nest.map_structure(of, self.output_specs)

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Returns the arguments, results and captures as readable text.

        Args:
          verbose: Whether each gets a line of its own.

        Returns:
          A string.
        """
        return repr(self.function_type) if verbose else str(self.function_type)

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.pretty_printed_signature(verbose=False)} at 0x{id(self):X}>"

    @property
    def function_def(self) -> Proto:
        from reflow.function.atomic import callees
        from reflow.graph.export import Exporter, function_to_proto

        exporter = Exporter()
        proto = function_to_proto(self.graph, self.function_name, exporter)
        called = exporter.library().function
        if called:
            callees[self.function_name] = list(called)
        return proto

    def add_to_graph(self, g: Graph | None = None, overwrite: bool = False) -> None:
        """Registers this function and its callees with a graph.

        A node that calls a function holds its graph, so nothing else depends on this, except for functions that
        implement an API for the device in use: calls of others of that API then run this one.

        Args:
          g: The graph; by default the current one.
          overwrite: Whether functions of the same names are replaced.
        """
        graph = state.graph if g is None else g
        if graph is not None and (overwrite or self.function_name not in graph._functions):
            graph._functions[self.function_name] = self.inference_fn
            for node in self.graph.nodes:
                if node.record.flow == "call":
                    ConcreteFunction(node.attrs["f"]).add_to_graph(graph, overwrite)
            implementations.prefer(graph, self.graph)

    def add_gradient_functions_to_graph(self, g: Graph | None = None) -> None:
        """Registers the gradient functions with a graph: `forward`, which also returns intermediates, and `backward`.

        Args:
          g: The graph; by default the current one.
        """
        given = tuple([carries_cotangent(t) for t in self.graph.outputs])
        wanted = tuple([t._dtype.kind in "fc" for t in self.graph.inputs])
        if True not in given or True not in wanted:
            return
        gradient = call_gradient(self.graph, given, wanted)
        forward, backward = ConcreteFunction(gradient.forward), ConcreteFunction(gradient.backward)
        gradient.forward.attributes = {**self.graph.attributes, "backward_function_name": backward.function_name}
        gradient.backward.attributes = {**self.graph.attributes, "forward_function_name": forward.function_name}
        for function in (forward, backward):
            function.add_to_graph(g)

    # --- calling

    def __call__(self, *args: Any, **kwargs: Any) -> Structure:
        """Calls the function.

        Args:
          *args: Tensors, in the order of the traced arguments.
          **kwargs: Tensors by the names of the arguments.

        Returns:
          What the function returns.

        Raises:
          TypeError: An argument is missing, or there is one too many.
        """
        return self.call_flat(self._flat_arguments(args, kwargs))

    def _flat_arguments(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Tensor]:
        from reflow.function.binding import flat_arguments

        return flat_arguments(self, args, kwargs)

    @staticmethod
    def _checked(tensor: Tensor, placeholder: SymbolicTensor) -> Tensor:
        from reflow.function.binding import checked

        return checked(tensor, placeholder)

    def call_flat(self, tensors: Sequence[Any]) -> Structure:
        """Call on the flat list of argument tensors; captures are added here."""
        if state.graph is not None:
            for reason in self.graph.saving_errors:
                state.graph.mark_as_unsaveable(reason)
            for variable in self.graph.variables:
                state.graph.watch_variable(variable)
                if variable.trainable:
                    for tape in state.tapes:
                        tape.watch_variable(variable)
            outputs = call_graph(self.graph, [*tensors, *self._captured])
        elif state.tapes:
            outputs = self._call_taped(tensors)
        else:
            outputs = self._call_plain(tensors)
        return self.pack(outputs)

    def _call_plain(self, tensors: Sequence[Any]) -> list[EagerTensor]:
        backend = state.backend
        argument, result = backend.argument, backend.result
        captured = self._captured_values if backend.direct else [argument(t) for t in self._captured]
        if captured is None:
            captured = self._captured_values = [t._value for t in self._captured]
        values = backend.run(self.graph, [argument(t) for t in tensors] + captured)
        return [result(v, d) for v, d in zip(values, self._dtypes)]

    def run_flat(self, tensors: Sequence[Any]) -> list[Any]:
        """Run on all inputs, including those in place of captures; tapes do not see it."""
        if state.graph is not None:
            return call_graph(self.graph, tensors)
        backend = state.backend
        values = backend.run(self.graph, [backend.argument(t) for t in tensors])
        return [backend.result(v, d) for v, d in zip(values, self._dtypes)]

    def pack(self, outputs: Sequence[Tensor]) -> Structure:
        """Pack flat output tensors into the structure that the function returned."""
        structured = self.graph.structured_outputs
        if type(structured) is SymbolicTensor:
            return outputs[0]
        flat = iter(outputs)

        def fill(x: Any) -> Any:
            return None if x is None else nest.refill(x, flat)

        return nest.map_structure(fill, structured)

    # --- under a tape

    def _call_taped(self, tensors: Sequence[Any]) -> list[EagerTensor]:
        """An eager call while tapes are active: run the forward pass with intermediates and leave one record."""
        inputs = [*tensors, *self._captured]
        for variable in self.graph.trainable_variables:
            for tape in state.tapes:
                tape.watch_variable(variable)
        watching = [t for t in state.tapes if any(x._id in t.watched and x._dtype.kind in "fco" for x in inputs)]
        if not watching:
            return self._call_plain(tensors)
        if len(watching) > 1:
            return replay(self.graph, inputs)
        tape = watching[0]
        wanted = tuple([x._id in tape.watched and x._dtype.kind in "fco" for x in inputs])
        given = tuple([carries_cotangent(t) for t in self.graph.outputs])
        gradient = call_gradient(self.graph, given, wanted)
        values = gradient.forward.run([t._value for t in inputs])
        outputs = tuple(
            [state.backend.result(v, t._dtype) for v, t in zip(values, gradient.forward.outputs, strict=True)]
        )
        tape.record(CallRecord(self, gradient), inputs, outputs, {})
        return list(outputs[: len(self._dtypes)])


class CallRecord:
    """A tape's record of an eager call; takes the place of an op's record."""

    differentiable = True
    stateful = False
    nondiff_indices: frozenset = frozenset()
    name = "PartitionedCall"

    def __init__(self, function: ConcreteFunction, gradient: CallGradient) -> None:
        self.function, self.gradient = function, gradient

    def grad_tensors(
        self, attrs: Attrs, inputs: Tensors, outputs: Tensors, cotangents: Cotangents, wanted: Wanted
    ) -> Cotangents:
        count = len(self.function._dtypes)
        if any(c is not None for c in cotangents[count:]):
            return self._second_order(inputs, outputs, cotangents)
        gradient = self.gradient
        cts = [
            run("ZerosLike", o) if c is None else dense(c)
            for o, c, g in zip(outputs[:count], cotangents[:count], gradient.given, strict=True)
            if g
        ]
        args = gradient.backward_inputs(cts, inputs, outputs)
        return gradient.pack(call_backward(gradient.backward, args))

    def _second_order(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], cotangents: Cotangents) -> Cotangents:
        """Cotangents reached the intermediates: replay the extended forward op by op and differentiate that."""
        with Recorder(inputs) as recorder:
            again = replay(self.gradient.forward, inputs)
        pairs = [(o, c) for o, c in zip(again, cotangents, strict=True) if c is not None]
        return reverse(recorder.records, [o for o, _ in pairs], [c for _, c in pairs], inputs)


def call_backward(graph: FuncGraph, args: Sequence[Tensor]) -> list[Any]:
    """Run a backward graph on flat arguments, eagerly or in the graph under construction.

    Other tapes may be watching.
    """
    if state.graph is not None:
        return call_graph(graph, args)
    if state.tapes:
        return replay(graph, args)
    values = graph.run([t._value for t in args])
    return [state.backend.result(v, t._dtype) for v, t in zip(values, graph.outputs, strict=True)]


def replay(graph: FuncGraph, inputs: Sequence[Any], outer: Sequence[MutableMapping[int, Any]] = ()) -> list[Any]:
    """Dispatch the ops of a graph one by one on tensors, so that every op is recorded; returns its outputs.

    `outer` holds the tensors of surrounding graphs, by id.
    """
    tensors = ChainMap({t._id: x for t, x in zip(graph.inputs, inputs, strict=True)}, *outer)
    _replay_nodes(graph, graph.outputs, tensors, lambda node: False)
    return [tensors[t._id] for t in graph.outputs]


def _replay_nodes(
    graph: FuncGraph, targets: Sequence[Any], tensors: ChainMap[int, Any], done: Callable[[Node], bool]
) -> None:
    """Run the nodes that `targets` (and effects) need.

    `tensors` maps ids in the graph to tensors here, and is extended.
    """
    from reflow.runtime.schedule import needed_nodes

    needed = needed_nodes(graph, targets)
    for node in graph.nodes:
        if node not in needed or node.record is PLACEHOLDER or done(node):
            continue
        ins = [tensors[t._id] for t in node.inputs]
        if node.record.flow == "call":
            outs = replay(node.attrs["f"], ins, tensors.maps)
        elif node.record.flow in ("branch", "loop"):
            outs = connect_untaken(node, ins, replay_control_flow(node, ins, tensors.maps))
        else:
            attrs = node.attrs
            if "_gradient_function" in attrs:
                attrs = {**attrs, "_gradient_function": _replayed_gradient(node, tensors)}
            out = dispatch(node.record, ins, attrs)
            outs = [out] if node.record.single else out
        tensors.update({t._id: o for t, o in zip(node.outputs, outs, strict=True)})


def _replayed_gradient(node: Node, tensors: ChainMap[int, Any]) -> TensorGradient:
    """The user-defined gradient of a replayed node.

    It may hold tensors of the node's graph, so it is traced there and replayed.
    """

    def gradient(
        attrs: Attrs, inputs: Tensors, outputs: Tensors, cotangents: Cotangents, wanted: Wanted
    ) -> Cotangents:
        made = NodeGradient(node, cotangents, wanted)
        missing = [t for t in made.captured if not isinstance(t, EagerTensor) and t._id not in tensors]
        for tensor in missing:  # needed only by the gradient
            _replay_nodes(tensor.op.graph, [tensor], tensors, lambda n: all(o._id in tensors for o in n.outputs))
        return made.pack(replay(made.graph, [*made.given, *[tensors.get(t._id, t) for t in made.captured]]))

    return gradient


def replay_control_flow(node: Node, ins: list[Any], outer: Sequence[MutableMapping[int, Any]]) -> list[Any]:
    """Control flow on eager tensors: decide in Python, replay the chosen graphs."""
    attrs = node.attrs
    if "then_branch" in attrs:
        return replay(attrs["then_branch"] if truth(ins[0]._host()) else attrs["else_branch"], ins[1:], outer)
    if "branches" in attrs:
        index = int(ins[0]._host())
        branches = attrs["branches"]
        return replay(branches[index if 0 <= index < len(branches) else -1], ins[1:], outer)
    while truth(replay(attrs["cond"], ins, outer)[0]._host()):
        ins = replay(attrs["body"], ins, outer)
    return ins
