"""`tensorflow.python.ops.control_flow_ops`: a tensor behind other ops, and version 1's switch in eager code."""

from reflow.api.array.arrange import identity
from reflow.api.framework.core_names import control_dependencies
from reflow.compat.behavior import colocate_with
from reflow.core import nest
from reflow.core.context import state
from reflow.ops.convert import convert_to_tensor


def with_dependencies(dependencies, output_tensor, name=None):
    """A tensor that is there only after other ops have run, on the device of the one it is made from. In eager code they have."""
    if state.graph is None:
        return output_tensor
    with colocate_with(output_tensor), control_dependencies(dependencies):
        return identity(output_tensor, name)


def _Identity(tensor, name=None):
    """A tensor, or each tensor of a composite one, as a new tensor."""
    return nest.map_structure(lambda t: identity(t, name), tensor, expand_composites=True)


def switch(data, pred, dtype=None, name=None):
    """(result if false, result if true): `data` is the one that `pred` chooses, and the other is empty. Only in eager code: in a graph
    `tf.cond` has branches, and no node has an output that is not there."""
    if state.graph is not None:
        raise NotImplementedError("Reflow's graphs have no Switch nodes, whose outputs may not be there: use `tf.cond`.")
    tensor = convert_to_tensor(data, dtype)
    empty = tensor[:0] if tensor.shape.rank else tensor
    return (empty, tensor) if bool(pred) else (tensor, empty)
