"""`tensorflow.python.eager.polymorphic_function.tracing_compilation`.

Traces of Python functions, without what `tf.function` adds.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

from reflow.drop_in.core.function.polymorphism import function_type as function_types
from reflow.drop_in.core.function.polymorphism.function_cache import FunctionCache
from reflow.drop_in.python.eager.polymorphic_function.attributes import MONOMORPHIC_FUNCTION_ALLOWLIST
from reflow.function.function import Function, Options


class _Traced(Function):
    """A function whose traces may all create variables; unlike `tf.function`, it does not trace again when they do."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._created_variables = True

    def _trace_once(self, structure: Any, forbid: Any, *args: Any, **kwargs: Any) -> Any:
        return super()._trace_once(structure, None, *args, **kwargs)


@dataclasses.dataclass
class TracingOptions:
    """How a Python function is traced."""

    python_function: Callable = lambda *args, **kwargs: None
    name: str = "function"
    polymorphic_type: Any = None
    default_values: dict | None = None
    scope_type: Any = None
    attributes: dict | None = None
    autograph: bool = True
    autograph_options: tuple | None = None
    reduce_retracing: bool = False
    bind_graph_to_function: bool = False
    function_cache: FunctionCache | None = None
    function_captures: Any = None
    lock: Any = None

    def function(self) -> Function:
        """The `tf.function` that traces: that of the cache, if there is one."""
        cache = FunctionCache() if self.function_cache is None else self.function_cache
        return cache.function(self._new)

    def _new(self) -> Function:
        attributes = dict(self.attributes or {})
        for name in attributes:
            if name not in MONOMORPHIC_FUNCTION_ALLOWLIST:
                raise ValueError(f"Tracing compilation does not support `{name}` as an attribute.")
        jit = attributes.pop("_XlaMustCompile", None)
        options = Options(bool(self.autograph), jit, self.reduce_retracing, None, self.autograph_options, attributes)
        given = None if self.polymorphic_type is None else function_types.to_input_signature(self.polymorphic_type)
        return _Traced(self.python_function, self.name, given, options)


def trace_function(args=None, kwargs=None, tracing_options=None):
    """The trace of a function for these arguments, among which specs may stand for tensors."""
    return tracing_options.function().get_concrete_function(*(args or ()), **(kwargs or {}))


def call_function(args=None, kwargs=None, tracing_options=None):
    """Call a function, traced for these arguments if it was not yet."""
    return tracing_options.function()(*(args or ()), **(kwargs or {}))
