"""`tensorflow.python.framework.function`: `Defun`, the functions of TensorFlow 1.

Their argument types are declared, shapes are unknown.
"""

import inspect
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from tensorboard.compat.proto.attr_value_pb2 import AttrValue

from reflow.api.gradients import custom_gradient
from reflow.core import dtypes, nest
from reflow.core.context import new_id, state
from reflow.core.specs import TensorSpec
from reflow.drop_in.python.framework.functions.function_def_to_graph import function_def_to_graph
from reflow.function.concrete import ConcreteFunction
from reflow.function.function import Function, Options
from reflow.graph.func_graph import FuncGraph
from reflow.ops.convert import convert_to_tensor


def _attributes(**options: Any) -> dict[str, Any]:
    """The attributes of a function's definition, from what a `Defun` or a call of it was given.

    Raises:
        ValueError: TensorFlow knows no such option.
    """
    attrs = {}
    noinline = options.pop("noinline", None)
    if noinline is not None:
        attrs["_noinline"] = AttrValue(b=bool(noinline))
    for key in [key for key in options if key.startswith("experimental_") or key in ("_implements", "_reference")]:
        value = options.pop(key)
        kinds = {bool: "b", int: "i", float: "f", str: "s"}
        if type(value) not in kinds:
            raise ValueError(f"Attribute {key} must be bool, int, float, or str. Got {type(value)}.")
        attrs[key] = AttrValue(**{kinds[type(value)]: value.encode() if isinstance(value, str) else value})
    if options:
        raise ValueError(f"Unknown keyword arguments: {options.keys()}.")
    return attrs


class _DefinedFunction:
    """A Python function as a graph, for declared types of its arguments; traced when it is first asked for."""

    def __init__(
        self, func: Callable, input_types: tuple, func_name: str | None = None, grad_func: Any = None,
        python_grad_func: Any = None, out_names: Sequence[str] | None = None, **options: Any,
    ) -> None:
        self._types = tuple(dtypes.as_dtype(t) for t in input_types)
        self._func_name, self._grad_func, self.python_grad_func = func_name, grad_func, python_grad_func
        self._out_names, self._attrs = out_names, _attributes(**options)
        specs = [TensorSpec(None, t) for t in self._types]
        own = getattr(func, "__name__", "function")
        self._function = Function(func, func_name or own, specs, Options(autograph=False))
        self._unnamed = f"{own.lstrip('_<').rstrip('>') or 'function'}_{new_id()}"  # as a node may be called

    @property
    def concrete(self) -> Any:
        """The trace."""
        trace = self._function.get_concrete_function()
        trace.graph.own_name = self.name
        return trace

    name = property(lambda self: self._func_name or self._unnamed)
    grad_func_name = property(lambda self: None if self._grad_func is None else self._grad_func.name)
    declared_input_types = property(lambda self: self._types)
    captured_inputs = property(lambda self: list(self.concrete.captured_inputs))
    graph = property(lambda self: self.concrete.graph)
    stateful_ops = property(
        lambda self: [(n.name, n.type) for n in self.concrete.graph.nodes if n.record.definition.stateful]
    )

    @property
    def definition(self) -> Any:
        """The FunctionDef proto.

        Raises:
            ValueError: the names of the outputs are more or fewer than these.
        """
        proto = self.concrete.function_def
        proto.signature.name = self.name
        for key, value in self._attrs.items():
            proto.attr[key].CopyFrom(value)
        if self._out_names:
            outputs = proto.signature.output_arg
            if len(self._out_names) != len(outputs):
                raise ValueError(
                    "output names must be either empty or equal in size to outputs. output names size = "
                    f"{len(self._out_names)} outputs size = {len(outputs)}"
                )
            values = [proto.ret.pop(output.name) for output in outputs]
            for output, name, value in zip(outputs, self._out_names, values, strict=True):
                output.name = name
                proto.ret[name] = value
        return proto

    def set_grad_func(self, grad_func: Any) -> None:
        """Say which function computes the gradients: from the inputs, then those of the outputs."""
        self._grad_func = grad_func

    def add_to_graph(self, g: Any) -> None:
        """Note that a graph has this function."""
        if self._grad_func is not None and self.python_grad_func is not None:
            raise ValueError(f"Gradient defined twice for function {self.name}")
        self.concrete.add_to_graph(g)

    def __call__(self, *args: Any, name: str | None = None, **options: Any) -> Any:
        if len(args) != len(self._types):
            raise ValueError(f"Expected {len(self._types)} arguments, got {len(args)}.")
        _attributes(**options)  # those of one call say nothing that the function does not
        given = [convert_to_tensor(a, t) for a, t in zip(args, self._types, strict=True)]
        label = name or self.name
        with state.graph.name_scope_for(label) if label and state.graph is not None else nullcontext():
            if self._grad_func is None and self.python_grad_func is None:
                return self._called(given)
            return custom_gradient(self._with_gradient)(*given)

    def _called(self, tensors: list) -> Any:
        results = nest.flatten(self.concrete(*tensors))
        results = [r for r in results if r is not None]
        if not results and state.graph is not None:
            return state.graph.nodes[-1]
        return results[0] if len(results) == 1 else tuple(results)

    def _with_gradient(self, *tensors: Any) -> tuple[Any, Callable]:
        results = self._called(list(tensors))

        def gradient(*cotangents: Any) -> Any:
            if self.python_grad_func is not None:
                return self.python_grad_func(nest.flatten(results)[0].op, *cotangents)
            return self._grad_func(*tensors, *cotangents)

        return results, gradient


def _short(dtype: dtypes.DType) -> str:
    """A dtype in a function's name: "f32", "i64", "s"."""
    letters = {"float": "f", "int": "i", "uint": "u", "complex": "c", "qint": "qi", "quint": "qu", "bfloat": "b"}
    word = dtype.name.rstrip("0123456789")
    return letters.get(word, word[0]) + dtype.name[len(word):]


class _OverloadedFunction:
    """A Python function without declared types: one `_DefinedFunction` for each list of argument types."""

    def __init__(self, func: Callable, **options: Any) -> None:
        self._func, self._options = func, options
        self._overload: dict[tuple, _DefinedFunction] = {}

    def instantiate(self, input_types: tuple) -> _DefinedFunction:
        """The function for these types."""
        key = tuple(dtypes.as_dtype(t) for t in input_types)
        if key not in self._overload:
            name = self._options["func_name"]
            kinds = "".join(_short(t) for t in key)
            self._overload[key] = _DefinedFunction(
                self._func, key, **self._options | {"func_name": name and f"{name}_{kinds}"}
            )
        return self._overload[key]

    def __call__(self, *args: Any, name: str | None = None) -> Any:
        tensors = [convert_to_tensor(a) for a in args]
        return self.instantiate(tuple(t.dtype for t in tensors))(*tensors, name=name)


class Defun:
    """A decorator: `@Defun(tf.float32, tf.float32)` makes a graph function of a Python function of two arguments."""

    def __init__(
        self, *input_types: Any, func_name: str | None = None, grad_func: Any = None, python_grad_func: Any = None,
        out_names: Sequence[str] | None = None, **options: Any,
    ) -> None:
        self._input_types = input_types
        self._options = options | {
            "func_name": func_name, "grad_func": grad_func, "python_grad_func": python_grad_func, "out_names": out_names
        }

    def __call__(self, func: Callable) -> _DefinedFunction | _OverloadedFunction:
        if not callable(func):
            raise ValueError(f"Function {func} must be a callable.")
        spec = inspect.getfullargspec(func)
        if spec.varkw or spec.defaults:
            raise ValueError(
                "Functions with argument defaults or keywords arguments are not supported. "
                f"{func} has defaults {spec.defaults} and keywords {spec.varkw}."
            )
        least = len(spec.args) - inspect.ismethod(func)
        if (
            self._input_types
            and (len(self._input_types) < least or len(self._input_types) > least and not spec.varargs)
        ):
            raise ValueError(
                f"The number of tf.function input types is not compatible with the allowed arguments of {func}. The "
                f"tf.function have {len(self._input_types)} input types, while the python function allows minimum "
                f"{least} and maximum {'unlimited' if spec.varargs else least} arguments."
            )
        if self._input_types or not least:
            return _DefinedFunction(func, self._input_types, **self._options)
        return _OverloadedFunction(func, **self._options)


def _body() -> FuncGraph | None:
    """The graph of the function that is traced now."""
    return state.graph if isinstance(state.graph, FuncGraph) else None


def get_extra_vars() -> list:
    """The variables that the function under construction has used."""
    body = _body()
    return [] if body is None else list(body.variables)


def get_extra_inputs() -> list:
    """The tensors from outside that the function under construction has used."""
    body = _body()
    return [] if body is None else list(body.external_captures)


def get_extra_args() -> list:
    """What stands for `get_extra_inputs` inside the function."""
    body = _body()
    return [] if body is None else list(body.internal_captures)


def _from_definition(fdef: Any, grad_func: _DefinedFunction | None = None) -> _DefinedFunction:
    """A function from its definition."""
    graph = function_def_to_graph(fdef)
    graph.structured_outputs = list(graph.outputs)
    concrete = ConcreteFunction(graph)
    kinds = tuple(t.dtype for t in graph.inputs)
    return _DefinedFunction(lambda *args: concrete(*args), kinds, fdef.signature.name, grad_func)


def from_library(lib: Any) -> list[_DefinedFunction]:
    """The functions of a FunctionDefLibrary; each one's gradient comes before it.

    Raises:
        ValueError: a function is named that it does not have, or functions are gradients of each other.
    """
    definitions = {fdef.signature.name: fdef for fdef in lib.function}
    gradients = {gradient.function_name: gradient.gradient_func for gradient in lib.gradient}
    for name in (*gradients, *gradients.values()):
        if name not in definitions:
            raise ValueError(f"FunctionDefLibrary missing '{name}' FunctionDef\n{lib}")
    made: dict[str, _DefinedFunction] = {}
    while len(made) < len(definitions):
        ready = [n for n in definitions if n not in made and (n not in gradients or gradients[n] in made)]
        if not ready:
            raise ValueError(f"FunctionDefLibrary contains cyclic gradient functions!\n{lib}")
        for name in ready:
            made[name] = _from_definition(definitions[name], made.get(gradients.get(name, "")))
    return list(made.values())
