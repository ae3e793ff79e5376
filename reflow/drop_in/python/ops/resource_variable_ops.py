"""`tensorflow.python.ops.resource_variable_ops`: variables behind handles, and their specs."""

from reflow.api.raw_ops import raw_ops
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.specs import VariableSpec as VariableSpec
from reflow.drop_in.python.ops.handle_data_util import get_handle_data
from reflow.drop_in.python.ops.handle_data_util import get_resource_handle_data as get_resource_handle_data

#: what is known of what is behind a handle, in a graph or not
get_eager_safe_handle_data = get_handle_data


def variable_accessed(variable) -> None:
    """Tell the tapes and the function under construction that a variable is used."""
    if state.graph is not None:
        state.graph.watch_variable(variable)
    for tape in state.tapes if variable.trainable else ():
        tape.watch_variable(variable)


def variable_shape(handle, out_type=dtypes.int32):
    """The shape of the variable behind a handle, as a tensor."""
    return raw_ops.VariableShape(input=handle, out_type=out_type)
