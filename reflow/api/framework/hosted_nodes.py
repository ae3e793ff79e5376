"""`tf.compat.v1.graph_util.must_run_on_cpu`: which nodes TensorFlow keeps off a GPU."""

from __future__ import annotations

from reflow.api.export import export
from reflow.core import dtypes

#: what TensorFlow takes for ops on variables, and the attribute that holds the type of what others compute
_ON_VARIABLES = frozenset((
    "Assign", "AssignAdd", "AssignSub", "Queue", "ScatterAdd", "ScatterSub", "ScatterUpdate", "TruncatedNormal",
    "Variable", "VariableV2",
))
_TYPES = {"Const": "dtype", "DynamicStitch": "T", "ParallelDynamicStitch": "T", "Cast": "SrcT"}


@export("compat.v1.graph_util.must_run_on_cpu")
def must_run_on_cpu(node, pin_variables_on_cpu=False):
    """Whether TensorFlow runs a node on the host even if there is a GPU: constants of strings and 32-bit integers,
    and casts from those integers. With `pin_variables_on_cpu` reference variables, too.

    >>> with tf.Graph().as_default() as graph:
    ...     _ = tf.constant("text"), tf.constant(1.0)
    >>> [tf.compat.v1.graph_util.must_run_on_cpu(node) for node in graph.get_operations()]
    [True, False]
    """
    proto = getattr(node, "node_def", node)
    if pin_variables_on_cpu and proto.op in _ON_VARIABLES:
        return True
    attr = _TYPES.get(proto.op)
    hosted = (dtypes.int32.enum, dtypes.string.enum) if proto.op == "Const" else (dtypes.int32.enum,)
    return attr is not None and proto.attr[attr].type in hosted
