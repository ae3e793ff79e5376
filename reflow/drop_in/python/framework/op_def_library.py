"""`tensorflow.python.framework.op_def_library`: any op by its name."""

from reflow.api.raw_ops import raw_ops


def apply_op(op_type_name, name=None, **keywords):
    """Run an op, or add it to the graph: inputs and attributes by name."""
    return getattr(raw_ops, op_type_name)(**keywords, name=name)
