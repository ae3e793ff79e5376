"""`tf.function`: a Python function that is traced once per kind of argument and then runs as a graph.

A call finds its trace by the arguments' key (`trace_key.py`); a call whose arguments are all eager tensors takes a
short path:
dtypes and shapes to a dictionary, no signature binding, no nests. A first trace that created variables is thrown away and
the function traced again with creation forbidden, as TensorFlow does.
"""

from __future__ import annotations

import functools
import inspect
import threading
import weakref

from reflow.core import nest
from reflow.core.context import state
from reflow.core.logging import warn
from reflow.core.specs import TensorSpec, TypeSpec
from reflow.core.tensor import EagerTensor
from reflow.core.trackable import Trackable
from reflow.function import tracing
from reflow.function.concrete import ConcreteFunction
from reflow.function.trace_key import Arguments, accepts, leaves, relaxed
from reflow.graph.func_graph import FuncGraph
from reflow.ops.convert import convert_to_tensor

MAX_TRACES = 1024  # a bound against endless retracing; the oldest trace is dropped
SINGLETON = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only created "
    "once or created outside tf.function. See https://www.tensorflow.org/guide/function#creating_tfvariables for more "
    "information."
)


class Function(Trackable):
    """A traced Python function; made by `tf.function`."""

    def __init__(
        self,
        python_function,
        name=None,
        input_signature=None,
        autograph=True,
        jit_compile=None,
        reduce_retracing=False,
        experimental_implements=None,
        experimental_autograph_options=None,
        experimental_attributes=None,
    ):
        self._python_function = python_function
        self._name = name or getattr(python_function, "__name__", "function").replace("<lambda>", "lambda")
        self._autograph = autograph
        self._jit_compile = jit_compile
        self._reduce_retracing = reduce_retracing
        self._implements = experimental_implements
        self._autograph_options = experimental_autograph_options
        self._attributes = experimental_attributes
        self._signature = _signature(python_function)
        self.input_signature = None if input_signature is None else _checked_signature(input_signature)
        self._fast: dict = {}
        self._traces: dict = {}
        self._structures: list = []
        self._trace_count = 0
        self._created_variables = False
        self._variables_alive: list = []
        self._lock = threading.RLock()
        self._bound: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
        functools.update_wrapper(self, python_function, updated=())

    python_function = property(lambda self: self._python_function)
    _run_functions_eagerly = property(lambda self: state.functions_eagerly)
    function_spec = property(lambda self: self._signature)
    name = property(lambda self: self._name)

    # --- calling

    def __call__(self, *args, **kwargs):
        if not kwargs and state.graph is None:
            key = []
            for a in args:
                if type(a) is not EagerTensor:
                    break
                key.append(a._dtype)
                key.append(a._value.shape)
            else:
                concrete = self._fast.get(tuple(key))
                if concrete is not None and not state.functions_eagerly:
                    return concrete.call_flat(args)
        return self._call_slow(args, kwargs)

    def _call_slow(self, args, kwargs):
        if state.functions_eagerly:
            return self._python_function(*args, **kwargs)
        arguments = self._arguments(args, kwargs)
        concrete = self._find(arguments)
        if (
            not kwargs
            and state.graph is None
            and self.input_signature is None
            and all(type(a) is EagerTensor for a in args)
        ):
            if len(self._fast) >= MAX_TRACES:
                self._fast.clear()
            self._fast[tuple(x for a in args for x in (a._dtype, a._value.shape))] = concrete
        return concrete.call_flat(arguments.tensors)

    def _arguments(self, args, kwargs) -> Arguments:
        """Arguments in canonical form: positional where possible, defaults filled in, cast to the signature."""
        args, kwargs = self._canonical(args, kwargs)
        if self.input_signature is not None:
            args = self._cast(args, kwargs)
            kwargs = {}
        return Arguments(args, kwargs)

    def _canonical(self, args, kwargs):
        if self._signature is None:
            return args, kwargs
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(
                f"Binding inputs to tf.function `{self._name}` failed due to `{error}`. Received args: {args} and kwargs: "
                f"{kwargs} for signature: {self._signature}."
            ) from None
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def _cast(self, args, kwargs):
        signature = self.input_signature
        if kwargs or len(args) > len(signature):
            extra = [a for a in args[len(signature) :]] + list(kwargs.values())
            if any(not isinstance(a, (int, float, str, bool, type(None))) for a in extra):
                raise TypeError(
                    f"{self._name} has an input_signature of {len(signature)} arguments, got {len(args) + len(kwargs)}."
                )
        out = []
        for spec, arg in zip(signature, args, strict=False):
            out.append(
                nest.map_structure(_cast_leaf, spec, arg, check_types=False)
                if nest.is_nested(spec)
                else _cast_leaf(spec, arg)
            )
        return tuple(out)

    # --- traces

    def _find(self, arguments: Arguments) -> ConcreteFunction:
        with self._lock:
            if self.input_signature is not None:
                key: object = "signature"
            else:
                key = arguments.key
            found = self._traces.get(key) or self._traces.get((key, self._outer_id()))
            if found is None and self._reduce_retracing:
                found = next(
                    (c for s, c in self._structures if accepts(s, arguments.structure) and self._usable(c)), None
                )
            if found is None:
                found = self._trace(key, arguments.structure)
            return found

    def _outer_id(self):
        return None if state.graph is None else state.graph.version_id

    @staticmethod
    def _usable(concrete) -> bool:
        """Whether a trace may be called here: one that captured another graph's tensors belongs to that graph."""
        return all(isinstance(t, EagerTensor) or t._graph is state.graph for t in concrete._captured)

    def _trace(self, key, structure) -> ConcreteFunction:
        if self.input_signature is not None:
            structure = (self.input_signature, {})
        elif self._reduce_retracing and self._structures:
            merged = relaxed(self._structures[-1][0], structure)
            structure = merged if merged is not None else structure
        self._warn_if_retracing(structure)
        concrete = self._trace_once(structure, SINGLETON if self._created_variables else None)
        if concrete.graph.created_variables and not self._created_variables:
            self._created_variables = True
            self._variables_alive = [ref() for ref in concrete.graph.created_variables]
            if any(v is None for v in self._variables_alive):
                raise ValueError(SINGLETON)
            # TensorFlow holds such variables weakly; the objects they were stored in keep them
            self._variables_alive = []
            concrete = self._trace_once(structure, SINGLETON)
        inside = not all(isinstance(t, EagerTensor) for t in concrete._captured)
        if len(self._traces) >= MAX_TRACES:
            self._traces.pop(next(iter(self._traces)))
        self._traces[(key, self._outer_id()) if inside else key] = concrete
        self._structures.append((structure, concrete))
        del self._structures[:-MAX_TRACES]
        return concrete

    def _trace_once(self, structure, forbid) -> ConcreteFunction:
        self._trace_count += 1
        graph = FuncGraph(self._name)
        graph.jit_compile = bool(self._jit_compile)
        args, kwargs = structure
        tracing.trace_to_graph(
            self._python_function,
            self._name,
            args,
            kwargs,
            bool(self._autograph),
            graph,
            forbid,
            self._argument_names(),
        )
        return ConcreteFunction(graph, structure, self._argument_names(), self._signature)

    def _argument_names(self):
        return () if self._signature is None else tuple(self._signature.parameters)

    def _warn_if_retracing(self, structure):
        if self._trace_count >= 5 and self._trace_count % 5 == 0 and not self._created_variables:
            changed = (
                _what_changed(self._structures[-1][0], structure, self._argument_names()) if self._structures else ""
            )
            warn(
                f"{self._trace_count} out of the last {self._trace_count} calls to {self._python_function} triggered tf.function "
                f"retracing{changed}. Tracing is expensive and the excessive number of tracings could be due to (1) creating "
                "@tf.function repeatedly in a loop, (2) passing tensors with different shapes, (3) passing Python objects instead of "
                "tensors."
            )

    def get_concrete_function(self, *args, **kwargs) -> ConcreteFunction:
        """The trace for these arguments; `tf.TensorSpec`s may stand for tensors."""
        if self.input_signature is not None and not args and not kwargs:
            found = self._traces.get("signature")
            return found or self._trace("signature", (self.input_signature, {}))
        args, kwargs = self._canonical(args, kwargs)
        structure = (tuple([_spec_of(a) for a in args]), {k: _spec_of(v) for k, v in kwargs.items()})
        from reflow.function.trace_key import _key

        key = "signature" if self.input_signature is not None else _key(structure)
        with self._lock:
            found = self._traces.get(key)
            return found or self._trace(key, structure)

    def experimental_get_tracing_count(self) -> int:
        """How often the Python function has been traced."""
        return self._trace_count

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        return "\n\n".join(f"{self._name}{c.structured_input_signature}" for c in self._list_all_concrete_functions())

    def _list_all_concrete_functions(self) -> list:
        return [c for _, c in self._structures]

    def _list_all_concrete_functions_for_serialization(self) -> list:
        return self._list_all_concrete_functions()

    def _trackable_children(self, save_type="checkpoint", **kwargs) -> dict:
        return {}

    @property
    def _concrete_variable_creation_fn(self):
        return self._structures[0][1] if self._structures else None

    def _decorate(self, decorator):
        self._python_function = decorator(self._python_function)

    # --- methods

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        try:
            bound = self._bound.get(instance)
        except TypeError:  # unhashable or not weakly referencable: keep it on the instance
            cache = instance.__dict__.setdefault("_reflow_functions", {})
            bound = cache.get(id(self))
            if bound is None:
                bound = cache[id(self)] = self._bind(instance)
            return bound
        if bound is None:
            bound = self._bound[instance] = self._bind(instance)
        return bound

    def _bind(self, instance):
        reference = weakref.ref(instance)
        plain = self._python_function

        @functools.wraps(plain)
        def method(*args, **kwargs):
            return plain(reference(), *args, **kwargs)

        signature = _signature(plain)
        if signature is not None:
            method.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])
        method.__reflow_method__ = (plain, reference)
        return Function(
            method, self._name, self.input_signature, self._autograph, self._jit_compile, self._reduce_retracing
        )

    def __repr__(self):
        return f"<tensorflow.python.eager.polymorphic_function.polymorphic_function.Function object at {id(self):#x}>"


def _signature(function):
    try:
        return inspect.signature(function)
    except (ValueError, TypeError):
        return None


def _checked_signature(signature):
    if not isinstance(signature, (list, tuple)):
        raise TypeError(f"input_signature must be either a tuple or a list, got {type(signature)}.")
    for spec in nest.flatten(tuple(signature)):
        if not isinstance(spec, TypeSpec):
            raise TypeError(f"input_signature must be a possibly nested sequence of TensorSpec objects, got {spec!r}.")
    return tuple(signature)


def _cast_leaf(spec, arg):
    if isinstance(spec, TensorSpec):
        tensor = convert_to_tensor(arg, dtype_hint=spec.dtype)
        if not spec.is_compatible_with(tensor):
            if tensor.dtype is not spec.dtype and not isinstance(arg, EagerTensor):
                tensor = convert_to_tensor(arg, spec.dtype)
            if not spec.is_compatible_with(tensor):
                raise TypeError(
                    f"Binding inputs to tf.function failed due to `Can not cast {TensorSpec(tensor.shape, tensor.dtype)!r} to "
                    f"{spec!r}`."
                )
        return tensor
    return arg


def _spec_of(x):
    """A structure's leaves as specs (given or taken from values) or statics."""
    if isinstance(x, TypeSpec):
        return x
    if nest.is_nested(x):
        return nest.rebuild(x, [_spec_of(child) for _, child in nest._items(x)])
    return Arguments((x,), {}).structure[0][0]


def _what_changed(old, new, names) -> str:
    """Which arguments differ between two traces, in words."""
    if not accepts(old, old) or len(leaves(old)) != len(leaves(new)):
        return " because the structure of its arguments changed"
    different = [
        f"{_name_at(names, i)} (from {a!r} to {b!r})"
        for i, (a, b) in enumerate(zip(leaves(old), leaves(new), strict=True))
        if not accepts(((a,), {}), ((b,), {}))
    ]
    return f" because of the argument {', '.join(different)}" if different else ""


def _name_at(names, i) -> str:
    return f"'{names[i]}'" if i < len(names) else f"number {i}"


def function(
    func=None,
    input_signature=None,
    autograph=True,
    jit_compile=None,
    reduce_retracing=False,
    experimental_implements=None,
    experimental_autograph_options=None,
    experimental_attributes=None,
    experimental_relax_shapes=None,
    experimental_compile=None,
    experimental_follow_type_hints=None,
):
    """Compile a function into a callable graph.

    >>> import reflow as tf
    >>> @tf.function
    ... def double(x):
    ...     return x + x
    >>> double(tf.constant(2)).numpy().item()
    4
    """
    if experimental_compile is not None:
        jit_compile = experimental_compile
    if experimental_relax_shapes is not None:
        reduce_retracing = experimental_relax_shapes

    def decorate(f):
        return Function(
            f,
            None,
            input_signature,
            autograph,
            jit_compile,
            reduce_retracing,
            experimental_implements,
            experimental_autograph_options,
            experimental_attributes,
        )

    return decorate if func is None else decorate(func)
