"""`tensorflow.python.framework.auto_control_deps_utils`: which resources a node only looks at."""

from reflow.core import dtypes

READ_ONLY_RESOURCE_INPUTS_ATTR = "_read_only_resource_inputs"


def _get_read_only_resource_input_indices_op(op):
    """The positions of the inputs that a node only looks at, as its attribute says, or else its op."""
    try:
        return sorted(op.get_attr(READ_ONLY_RESOURCE_INPUTS_ATTR))
    except ValueError:
        return sorted(op.record.read_indices) if hasattr(op, "record") else []


def get_read_write_resource_inputs(op):
    """(reads, writes): the resources among a node's inputs that it only looks at, and the others."""
    indices = _get_read_only_resource_input_indices_op(op)
    resources = [(i, t) for i, t in enumerate(op.inputs) if t.dtype == dtypes.resource]
    reads = [t for i, t in resources if i in indices]
    return reads, [t for i, t in resources if i not in indices and not any(t is r for r in reads)]
