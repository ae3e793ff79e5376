"""`tensorflow.python.framework.function`: `Defun`, the functions of TensorFlow 1.

Their argument types are declared, shapes are unknown.
"""

import inspect
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from reflow.api.gradients import custom_gradient
from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.specs import TensorSpec
from reflow.function.function import Function, Options
from reflow.ops.convert import convert_to_tensor


class _DefinedFunction:
    """A Python function as a graph, for declared types of its arguments; traced when it is first asked for."""

    def __init__(
        self, func: Callable, input_types: tuple, func_name: str | None = None, grad_func: Any = None,
        python_grad_func: Any = None,
    ) -> None:
        self._types = tuple(dtypes.as_dtype(t) for t in input_types)
        self._func_name, self._grad_func, self.python_grad_func = func_name, grad_func, python_grad_func
        specs = [TensorSpec(None, t) for t in self._types]
        self._function = Function(
            func, func_name or getattr(func, "__name__", "function"), specs, Options(autograph=False)
        )

    @property
    def concrete(self) -> Any:
        """The trace."""
        return self._function.get_concrete_function()

    name = property(lambda self: self._func_name or self.concrete.function_name)
    definition = property(lambda self: self.concrete.function_def, doc="The FunctionDef proto.")
    declared_input_types = property(lambda self: self._types)
    captured_inputs = property(lambda self: list(self.concrete.captured_inputs))
    graph = property(lambda self: self.concrete.graph)
    stateful_ops = property(
        lambda self: [(n.name, n.type) for n in self.concrete.graph.nodes if n.record.definition.is_stateful]
    )

    def set_grad_func(self, grad_func: Any) -> None:
        """Say which function computes the gradients: from the inputs, then those of the outputs."""
        self._grad_func = grad_func

    def add_to_graph(self, g: Any) -> None:
        """Note that a graph has this function."""
        if self._grad_func is not None and self.python_grad_func is not None:
            raise ValueError(f"Gradient defined twice for function {self.name}")
        self.concrete.add_to_graph(g)

    def __call__(self, *args: Any, name: str | None = None) -> Any:
        if len(args) != len(self._types):
            raise ValueError(f"Expected {len(self._types)} arguments, got {len(args)}.")
        given = [convert_to_tensor(a, t) for a, t in zip(args, self._types, strict=True)]
        label = name or self._func_name
        with state.graph.name_scope_for(label) if label and state.graph is not None else nullcontext():
            if self._grad_func is None and self.python_grad_func is None:
                return self._called(given)
            return custom_gradient(self._with_gradient)(*given)

    def _called(self, tensors: list) -> Any:
        results = nest.flatten(self._function(*tensors))
        results = [r for r in results if r is not None]
        if not results and state.graph is not None:
            return state.graph.nodes[-1]
        return results[0] if len(results) == 1 else results

    def _with_gradient(self, *tensors: Any) -> tuple[Any, Callable]:
        results = self._called(list(tensors))

        def gradient(*cotangents: Any) -> Any:
            if self.python_grad_func is not None:
                return self.python_grad_func(nest.flatten(results)[0].op, *cotangents)
            return self._grad_func(*tensors, *cotangents)

        return results, gradient


class _OverloadedFunction:
    """A Python function without declared types: one `_DefinedFunction` for each list of argument types."""

    def __init__(self, func: Callable, **options: Any) -> None:
        self._func, self._options = func, options
        self._overload: dict[tuple, _DefinedFunction] = {}

    def instantiate(self, input_types: tuple) -> _DefinedFunction:
        """The function for these types."""
        key = tuple(dtypes.as_dtype(t) for t in input_types)
        if key not in self._overload:
            self._overload[key] = _DefinedFunction(self._func, key, **self._options)
        return self._overload[key]

    def __call__(self, *args: Any, name: str | None = None) -> Any:
        tensors = [convert_to_tensor(a) for a in args]
        return self.instantiate(tuple(t.dtype for t in tensors))(*tensors, name=name)


class Defun:
    """A decorator: `@Defun(tf.float32, tf.float32)` makes a graph function of a Python function of two arguments."""

    def __init__(
        self, *input_types: Any, func_name: str | None = None, grad_func: Any = None, python_grad_func: Any = None,
        out_names: Any = None,
    ) -> None:
        if out_names is not None:
            raise NotImplementedError("Outputs of a Defun are called after its results; Reflow does not rename them.")
        self._input_types = input_types
        self._options = {"func_name": func_name, "grad_func": grad_func, "python_grad_func": python_grad_func}

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
