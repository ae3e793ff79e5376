"""`tensorflow.python.ops.state_ops`: variables without an initial value, which a program assigns itself."""

from __future__ import annotations

from typing import Any

from reflow.compat.behavior import get_default_graph
from reflow.compat.graph_variables import GraphVariable, assign
from reflow.core import dtypes
from reflow.core.shapes import dims_of
from reflow.eager.variable_enums import VariableAggregation, VariableSynchronization
from reflow.ops.convert import convert_to_tensor


class _BareVariable(GraphVariable):
    """A variable of a graph that has no initializer and is in no collection."""

    def __init__(self, shape: Any, dtype: Any, name: str) -> None:
        graph = get_default_graph()
        self._synchronization, self._aggregation = VariableSynchronization.AUTO, VariableAggregation.NONE
        self._trainable, self._constraint, self._caching_device, self._cached_value = False, None, None, None
        self._initializer = self._initial_value = None
        self._dtype, self._dims = dtypes.as_dtype(dtype).base_dtype, dims_of(shape)
        self._read_attrs = {"dtype": self._dtype, "_handle_shape": self._dims}
        with graph.as_default(), graph.control_dependencies(None):
            graph.name_nodes()
            self._shared_name = graph.unique_name(name, mark_as_used=False)
            self._handle = self._new_handle(graph)
            with graph.scope(f"{self._shared_name}/Read/"), graph.device(self.device):
                self._read = self.value()


def variable_op_v2(
    shape: Any, dtype: Any, name: str = "Variable", container: str = "", shared_name: str = ""
) -> GraphVariable:
    """A variable of a shape and a dtype in the default graph. Reading it fails until something was assigned.

    Two sessions share no variables here, so `container` and `shared_name` have no effect.
    """
    return _BareVariable(shape, dtype, name)


def variable_op(
    shape: Any, dtype: Any, name: str = "Variable", set_shape: bool = True, container: str = "", shared_name: str = ""
) -> GraphVariable:
    """`variable_op_v2`; without `set_shape` nothing is known about the shape."""
    return _BareVariable(shape if set_shape else None, dtype, name)


def init_variable(v: GraphVariable, init: Any, name: str = "init") -> Any:
    """Assign a variable its first value, or what an initializer makes for its shape and dtype."""
    graph = v.graph
    with graph.as_default(), graph.scope(f"{v.op.name}/"), graph.colocate_with(v.op):
        if callable(init):
            assert v.shape.is_fully_defined(), "Variable shape unknown."
            init = init(v.shape.as_list(), v.dtype.base_dtype)
        return assign(v, convert_to_tensor(init, v.dtype), name=name)


def is_variable_initialized(ref: Any, name: str | None = None) -> Any:
    """Whether a variable has a value."""
    return ref.is_initialized(name=name)
