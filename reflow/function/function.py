"""`tf.function`: a Python function that is traced once per kind of argument and then runs as a graph.

A call finds its trace by the key of its arguments (`trace_key.py`). A call whose arguments are all eager tensors takes
a fast path: dtypes and shapes to a dictionary, no signature binding, no nests. A first trace that created variables is
discarded, and the function is traced again with creation forbidden, as in TensorFlow.
"""

from __future__ import annotations

import copy
import functools
import inspect
import time
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from reflow.compile.runner import plan_of
from reflow.core.context import Variant, state, swapped
from reflow.core.fork import new_lock
from reflow.core.logging import warn
from reflow.core.tensor import EagerTensor
from reflow.core.types import Structure
from reflow.eager.tracebacks import shorten
from reflow.function import tracing
from reflow.function.concrete import ConcreteFunction, argument_names
from reflow.function.function_type import of_python
from reflow.function.gradients import call_gradient
from reflow.function.input_signature import FunctionSpec, InputSignature
from reflow.function.retracing import LISTENERS, Traced, detector_for, warn_about, what_changed
from reflow.function.signature_text import CAPTURED_DEFAULT
from reflow.function.trace_key import Arguments, Specs, accepts, is_general, quick_arguments, relaxed
from reflow.graph.func_graph import FuncGraph
from reflow.graph.graph import plain_graph
from reflow.runtime.schedule import schedule_of
from reflow.tracking.trackable import SaveType, Trackable

#: limits against endless retracing: the oldest traces are dropped. A node takes about 2 KB with its tensors and
#: instructions
MAX_TRACES, MAX_NODES = 1024, 100_000
#: compiled programs of older traces are dropped (about 2 MB each); a later call builds them again
MAX_COMPILED = 128
SINGLETON = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only "
    "created once or created outside tf.function. See https://www.tensorflow.org/guide/function#creating_tfvariables "
    "for more information."
)
#: attributes that `experimental_attributes` may set
ATTRIBUTES = frozenset(
    (
        "_disable_acd", "time_major", "_OutputsOnOpDevice", "_implements", "_noinline", "_tf_data_function",
        "experimental_ints_on_device", "api_implements", "api_preferred_device", "function_runs_at_most_once",
        "disable_summaries_at_runtime", "go_backwards", "runtime_constant_optimization",
    )
)


class Options(NamedTuple):
    """How a function is traced and compiled: arguments of `tf.function`."""

    autograph: bool = True
    jit_compile: bool | None = None
    reduce_retracing: bool = False
    implements: str | None = None
    autograph_options: Any = None
    attributes: dict[str, Any] | None = None


class Function(Trackable):
    """A traced Python function; `tf.function` makes it.

    Args:
      python_function: The Python function.
      name: A name; by default that of the function.
      input_signature: The specs of its arguments, if it is to be traced only once.
      options: The other options of `tf.function`.

    >>> isinstance(tf.function(lambda x: x + 1), tf.types.experimental.GenericFunction)
    True
    """

    def __init__(
        self, python_function: Callable[..., Any], name: str | None = None, input_signature: Any = None,
        options: Options = Options(),  # noqa: B008 - immutable
    ) -> None:
        if not callable(python_function):
            raise TypeError(f"{python_function!r} is not a callable object")
        self._python_function = python_function
        self._name: str = name or getattr(python_function, "__name__", None) or "function"
        self.options = options
        self._attributes = _checked_attributes(options.implements, options.attributes)
        self._signature = _signature(python_function)
        self._constraints = None if input_signature is None else InputSignature(input_signature, self._signature)
        self._fast: dict = {}
        self._traces: dict = {}
        self._aliases: dict = {}  # for arguments that a more general trace serves
        self._structures: list = []  # (arguments, trace), oldest first
        self._nodes = 0  # total number in all traces
        self._trace_count = 0
        self._detector = detector_for(python_function)
        self._variant: Any = None  # the variant of these traces; each other variant has a separate function
        self._variants: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()
        self._created_variables = False
        self._lock = new_lock()
        self._bound: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
        functools.update_wrapper(self, python_function, updated=())

    def __deepcopy__(self, memo: dict) -> Function:
        """The same function without its traces, whose graphs hold the old one's variables."""
        copied = memo[id(self)] = Function(
            copy.deepcopy(self._python_function, memo), self._name, self.input_signature, self.options
        )
        return copied

    python_function = property(lambda self: self._python_function)
    _run_functions_eagerly = property(lambda self: state.variant is Variant.EAGERLY)
    function_spec = property(
        lambda self: None if self._signature is None else FunctionSpec(list(self._signature.parameters.values()))
    )
    function_type = property(lambda self: of_python(self._shown_signature()))
    name = property(lambda self: self._name)
    input_signature = property(lambda self: None if self._constraints is None else self._constraints.specs)

    _autograph = property(lambda self: self.options.autograph)
    _jit_compile = property(lambda self: self.options.jit_compile)
    _reduce_retracing = property(lambda self: self.options.reduce_retracing)
    _experimental_autograph_options = property(lambda self: self.options.autograph_options)

    # --- calling

    def __call__(self, *args: Any, **kwargs: Any) -> Structure:
        try:
            if not kwargs and state.graph is None:
                key = []
                for a in args:
                    if type(a) is not EagerTensor:
                        break
                    key.append(a._dtype.enum)
                    key.append(a._value.shape)
                else:
                    concrete = self._fast.get(tuple(key))
                    if concrete is not None and state.variant is None:
                        self._detector.fast_calls += 1
                        return concrete.call_flat(args)
            return self._call_slow(args, kwargs)
        except Exception as error:
            if state.graph is None:
                shorten(error)
            raise

    def _call_slow(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Structure:
        if state.variant is not self._variant:
            if state.variant is Variant.EAGERLY:
                return self._python_function(*args, **kwargs)
            return self._as_variant()._call_slow(args, kwargs)
        quick = quick_arguments(args) if not kwargs and state.graph is None and self._constraints is None else None
        if quick is not None:
            known = self._fast.get(quick[0])
            if known is not None:
                self._detector.fast_calls += 1
                return known.call_flat(quick[1])
        arguments = self._arguments(args, kwargs)
        before = self._structures[-1][0] if self._structures else None
        count = self._trace_count
        concrete = self._find(arguments)
        traced = None if count == self._trace_count else (before, self._structures[-1][0])
        if quick is not None and len(arguments.tensors) == len(quick[1]):  # not if a default is a tensor
            if len(self._fast) >= MAX_TRACES:
                self._fast.clear()
            self._fast[quick[0]] = concrete
        result = concrete.call_flat(arguments.tensors)
        if state.graph is None:
            self._watch_retracing(traced)
        return result

    def _as_variant(self) -> Function:
        """This function with traces for the current variant."""
        with self._lock:
            own = self._variants.get(state.variant)
            if own is None:
                own = self._variants[state.variant] = self._clone()
                own._variant, own._detector = state.variant, self._detector
            return own

    def _arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """Arguments in canonical form: positional where possible, defaults filled in, cast to the signature."""
        return Arguments(*self._canonical(args, kwargs))

    def _canonical(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        if self._constraints is not None:
            return self._constraints.bind(args, kwargs)
        if self._signature is None:
            return args, kwargs
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{error}`. Received args: {args} and kwargs: "
                f"{kwargs} for signature: {self._shown_signature()}."
            ) from None
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def _shown_signature(self) -> inspect.Signature:
        """The Python signature as TensorFlow shows it: names without annotations or default values; with the types of
        an input signature.
        """
        if self._constraints is not None:
            return self._constraints.signature
        if self._signature is None:
            return inspect.Signature()
        shown = [
            p.replace(annotation=p.empty, default=p.empty if p.default is p.empty else CAPTURED_DEFAULT)
            for p in self._signature.parameters.values()
        ]
        return inspect.Signature(shown)

    # --- traces

    def _find(self, arguments: Arguments) -> ConcreteFunction:
        with self._lock:
            key = in_plain_graph(arguments.key if self._constraints is None else "signature")
            found = self._traces.get(key) or self._traces.get((key, self._outer_id())) or self._aliases.get(key)
            if found is None:
                found = self._find_general(key, arguments.structure)
            if found is None:
                found = self._trace(key, arguments.structure, arguments)
            return found

    def _find_general(self, key: Any, structure: Structure) -> ConcreteFunction | None:
        """The most specific trace for more general arguments, or None."""
        best = None
        for general, concrete in self._structures:
            if (
                is_general(general)
                and accepts(general, structure)
                and self._usable(concrete)
                and (best is None or accepts(best[0], general))
            ):
                best = general, concrete
        if best is None:
            return None
        if all(isinstance(t, EagerTensor) for t in best[1]._captured):
            if len(self._aliases) >= MAX_TRACES:
                self._aliases.clear()
            self._aliases[key] = best[1]
        return best[1]

    def _outer_id(self) -> int | None:
        return None if state.graph is None else state.graph.version_id

    @staticmethod
    def _usable(concrete: ConcreteFunction) -> bool:
        """Whether a trace can be called here: one made in another plain graph, or with tensors of another graph,
        belongs to that graph."""
        if plain_graph(concrete.graph) is not plain_graph(state.graph):
            return False
        return all(isinstance(t, EagerTensor) or t._graph is state.graph for t in concrete._captured)

    def _trace(self, key: Any, structure: Structure, call: Arguments | None = None) -> ConcreteFunction:
        """A new trace; `call` holds the current arguments, from which variables may take their initial values."""
        if self._constraints is not None:
            structure = self._constraints.structure
        elif self.options.reduce_retracing and self._structures:
            merged = relaxed(self._structures[-1][0], structure)
            structure = merged if merged is not None else structure
        before, start = self._structures[-1][0] if self._structures else None, time.perf_counter()
        concrete = self._trace_once(structure, SINGLETON if self._created_variables else None, call)
        if concrete.graph.created_variables and not self._created_variables:
            self._created_variables = True
            # TensorFlow references such variables weakly; the objects that store them keep them alive
            lost = any(ref() is None for ref in concrete.graph.created_variables)
            # the same error, with the user's line, if it creates them again
            concrete = self._trace_once(structure, SINGLETON, call, again=True)
            if lost:
                raise ValueError(SINGLETON)
        inside = not all(isinstance(t, EagerTensor) for t in concrete._captured)
        self._traces[(key, self._outer_id()) if inside else key] = concrete
        self._structures.append((structure, concrete))
        self._nodes += len(concrete.graph.nodes)
        while len(self._structures) > MAX_TRACES or (self._nodes > MAX_NODES and len(self._structures) > 1):
            self._forget_oldest()
        if len(self._structures) > MAX_COMPILED:
            _forget_programs(self._structures[-1 - MAX_COMPILED][1].graph)
        for tell in LISTENERS:
            tell(Traced(self, before, structure, concrete.argument_names, time.perf_counter() - start))
        return concrete

    def _forget_oldest(self) -> None:
        _, oldest = self._structures.pop(0)
        self._nodes -= len(oldest.graph.nodes)
        for table in (self._traces, self._aliases, self._fast):
            for key in [k for k, c in table.items() if c is oldest]:
                del table[key]

    def _trace_once(
        self, structure: Structure, forbid: str | None, call: Arguments | None = None, again: bool = False
    ) -> ConcreteFunction:
        graph = FuncGraph(self._name)
        graph.jit_compile = bool(self.options.jit_compile)
        graph.attributes = self._attributes
        if call is not None and not again and all(isinstance(t, EagerTensor) for t in call.tensors):
            graph.argument_values = [t._value for t in call.tensors]
        args, kwargs = structure
        names = argument_names(self._signature, len(args))
        tracing.trace_to_graph(
            self._python_function, self._name, args, kwargs, bool(self.options.autograph), graph, forbid, names,
            self.options.autograph_options, mark_results=True,
            variables=None if call is None or self._constraints is not None else call.variables,
        )
        graph.argument_values = None
        self._trace_count += 1  # a failed trace does not count
        return ConcreteFunction(graph, structure, names, self._signature)

    def _watch_retracing(self, traced: tuple[Any, Structure] | None) -> None:
        """Report a call that succeeded to the detector, which may find too many traces.

        Args:
          traced: If the call was traced: the arguments of the trace before it (or None), and its own.
        """
        detector = self._detector
        if traced is None:
            detector.called()
            return
        too_many = detector.traced()
        if too_many is not None:
            before, after = traced
            changed = what_changed(before, after, argument_names(self._signature, len(after[0])))
            traces, calls = too_many
            warn_about(self._python_function, traces, calls, changed)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Returns the trace for some arguments; it is made if there is none.

        Args:
          *args: The positional arguments, or `tf.TensorSpec`s in place of tensors.
          **kwargs: The keyword arguments.

        Returns:
          A `ConcreteFunction`.
        """
        if state.variant is not self._variant and state.variant is not Variant.EAGERLY:
            return self._as_variant().get_concrete_function(*args, **kwargs)
        if self._constraints is not None:
            key, structure = "signature", self._constraints.structure
            if args or kwargs:
                self._constraints.bind(args, kwargs)
        else:
            specs = Specs(*self._canonical(args, kwargs))
            key, structure = specs.key, specs.structure
        key = in_plain_graph(key)
        with self._lock:
            found = self._traces.get(key) or self._find_general(key, structure)
            return found or self._trace(key, structure)

    def experimental_get_tracing_count(self) -> int:
        """Returns how often the Python function has been traced.

        Returns:
          An integer.
        """
        return self._trace_count + sum(own._trace_count for own in self._variants.values())

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """Returns the arguments and results of every trace, as readable text.

        Args:
          verbose: Whether each gets a line of its own.

        Returns:
          A string.
        """
        texts = [c.pretty_printed_signature(verbose) for c in self._list_all_concrete_functions()]
        return ("\n\n" if verbose else "\n").join(texts)

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Callable[[str], Any]:
        """Returns a function that shows what XLA compiles for some arguments.

        Args:
          *args: The positional arguments.
          **kwargs: The keyword arguments.

        Returns:
          A function of `stage` ("hlo", "hlo_serialized", "optimized_hlo", ...) that returns XLA's input or output.

        Raises:
          ValueError: The function does not have `jit_compile=True`.
        """
        from reflow.function.compiler_ir import compiler_ir

        if not self.options.jit_compile:
            raise ValueError("Compiler IR can only be returned for functions marked with 'jit_compile=True'")
        arguments = self._arguments(args, kwargs)
        return compiler_ir(self._find(arguments), arguments.tensors)

    def _list_all_concrete_functions(self) -> list:
        return [c for _, c in self._structures]

    def _list_all_concrete_functions_for_serialization(self) -> list:
        """The traces; a function with an input signature is traced now."""
        if self._constraints is not None:
            self.get_concrete_function()
        traces = self._list_all_concrete_functions()
        if all(c.graph.saveable for c in traces):
            return traces
        asked = [((), {})] if self._constraints else [tracing.arguments_of(a) for a, _ in self._structures]
        return [self.saved_trace(*args, **kwargs) for args, kwargs in asked]

    def saved_trace(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace that a SavedModel gets for these arguments: for one device, where a strategy's variables would have
        several copies.
        """
        concrete = self.get_concrete_function(*args, **kwargs)
        if concrete.graph.saveable:
            return concrete
        with swapped(variant=Variant.SAVING):
            return self.get_concrete_function(*args, **kwargs)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict:
        """In a SavedModel, the traces. (Keras passes "saved_model" where TensorFlow passes "savedmodel".)"""
        if save_type == SaveType.CHECKPOINT:
            return {}
        return {f"trace_{i}": c for i, c in enumerate(self._list_all_concrete_functions_for_serialization())}

    @property
    def _concrete_variable_creation_fn(self) -> ConcreteFunction | None:
        return self._structures[0][1] if self._structures else None

    def _clone(self, python_function: Callable[..., Any] | None = None) -> Function:
        """A function with the same options and no traces, for the same or another Python function."""
        return Function(python_function or self._python_function, self._name, self.input_signature, self.options)

    def _decorate(self, decorator: Callable[[Any], Any]) -> None:
        self._python_function = decorator(self._python_function)

    # --- methods

    def __get__(self, instance: Any, owner: Any = None) -> Function:
        if instance is None:
            return self
        try:
            bound = self._bound.get(instance)
        except TypeError:
            weakref.ref(instance)  # raises for objects without weak references; unhashable ones are handled below
            cache = instance.__dict__.setdefault("_reflow_functions", {})
            bound = cache.get(id(self))
            if bound is None:
                bound = cache[id(self)] = self._bind(instance)
            return bound
        if bound is None:
            bound = self._bound[instance] = self._bind(instance)
        return bound

    def _bind(self, instance: Any) -> Function:
        reference = weakref.ref(instance)
        plain = self._python_function

        @functools.wraps(plain)
        def bound(*args: Any, **kwargs: Any) -> Any:
            return plain(reference(), *args, **kwargs)

        method: Any = bound  # carries attributes of ours
        signature = _signature(plain)
        if signature is not None:
            method.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])
        method.__reflow_method__ = (plain, reference)
        return Function(method, self._name, self.input_signature, self.options)

    def _repr_html_(self) -> str:
        """What a notebook shows: the traces, one line each."""
        from reflow.core import html

        facts = {"traces": len(self._structures), "jit_compile": bool(self.options.jit_compile)}
        return html.card(
            f"tf.function {self._name}", facts, html.code(self.pretty_printed_concrete_signatures(verbose=False))
        )

    def __repr__(self) -> str:
        return f"<tensorflow.python.eager.polymorphic_function.polymorphic_function.Function object at {id(self):#x}>"


def in_plain_graph(key: Any) -> Any:
    """The key of a trace here: each plain graph has traces of its own, since they may hold its variables."""
    graph = None if state.graph is None else plain_graph(state.graph)
    return key if graph is None else (key, graph.version_id)


def _forget_programs(graph: FuncGraph) -> None:
    """Drop what the runtime and the compiler derived from a graph and from its gradients."""
    gradients = call_gradient.known(graph)
    for forgotten in [graph, *(g for c in gradients for g in (c.forward, c.backward))]:
        plan_of.forget(forgotten)
        schedule_of.forget(forgotten)


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (ValueError, TypeError):
        return None


def _checked_attributes(implements: str | None, given: dict[str, Any] | None) -> dict:
    """Attributes for the FunctionDef; TensorFlow accepts only known ones."""
    attributes = {} if implements is None else {"_implements": implements}
    for name, value in (given or {}).items():
        if name not in ATTRIBUTES:
            raise ValueError(f"`{name} is not supported by tf.function as an attribute.")
        attributes[name] = value
    return attributes


def function(
    func: Callable[..., Any] | None = None, input_signature: Any = None, autograph: bool = True,
    jit_compile: bool | None = None, reduce_retracing: bool = False, experimental_implements: str | None = None,
    experimental_autograph_options: Any = None, experimental_attributes: dict[str, Any] | None = None,
    experimental_relax_shapes: bool | None = None, experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Compiles a Python function into a callable graph.

    It is traced once for each combination of dtypes, shapes and Python values of its arguments, and the graph then runs
    in its place.

    Args:
      func: The function; None returns a decorator.
      input_signature: `tf.TensorSpec`s of the arguments: the function is traced only once, for these.
      autograph: Whether `if`, `for` and `while` on tensors become a part of the graph.
      jit_compile: Whether XLA compiles the whole function, and refuses what it cannot compile.
      reduce_retracing: Whether shapes that differ between calls are generalized, instead of tracing again for each.
      experimental_implements: The name of a known function that this one implements.
      experimental_autograph_options: `tf.autograph.experimental.Feature`s.
      experimental_attributes: Attributes of the function in files.
      experimental_relax_shapes: An older name of `reduce_retracing`.
      experimental_compile: An older name of `jit_compile`.
      experimental_follow_type_hints: It has no effect, which a warning says.

    Returns:
      A callable, or a decorator if `func` is None.

    Raises:
      TypeError: `func` cannot be called.
      ValueError: Both `jit_compile` and `experimental_compile` are given, or an attribute is unknown.

    >>> @tf.function
    ... def double(x):
    ...     return x + x
    >>> double(tf.constant(2)).numpy().item()
    4
    """
    if experimental_compile is not None:
        if jit_compile is not None:
            raise ValueError("Cannot specify both 'experimental_compile' and 'jit_compile'.")
        jit_compile = experimental_compile
    if experimental_relax_shapes is not None:
        reduce_retracing = experimental_relax_shapes
    if experimental_follow_type_hints is not None:
        warn("`experimental_follow_type_hints` has no effect: annotations do not change how a function is traced.")

    options = Options(
        autograph, jit_compile, reduce_retracing, experimental_implements, experimental_autograph_options,
        experimental_attributes,
    )

    def decorate(f: Callable[..., Any]) -> Function:
        return Function(f, None, input_signature, options)

    return decorate if func is None else decorate(func)
