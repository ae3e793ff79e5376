"""`tensorflow.python.framework.op_def_registry`: OpDef protos by the names of ops."""

from reflow.graph.describe import op_def
from reflow.ops import opdef


def get(name):
    """The OpDef of an op, or None if there is no such op."""
    try:
        return op_def(opdef.lookup(name))
    except (KeyError, LookupError, AttributeError):
        return None


def sync() -> None:
    """Take over ops that were registered since: they are looked up when they are asked for."""
