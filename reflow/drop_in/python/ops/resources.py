"""`tensorflow.python.ops.resources`: resources of a graph that are created before the others use them."""

import collections

from reflow.api.array.arrange import stack
from reflow.api.array.indexing import boolean_mask
from reflow.api.control.printing import group
from reflow.api.math.unary import logical_not
from reflow.compat.behavior import get_default_graph
from reflow.core import dtypes
from reflow.ops.convert import constant

_Resource = collections.namedtuple("_Resource", ["handle", "create", "is_initialized"])
_SHARED, _LOCAL = "resources", "local_resources"


def register_resource(handle, create_op, is_initialized_op, is_shared=True):
    """Note a resource in the graph: the op that creates it, and the scalar that says whether it is there."""
    get_default_graph().add_to_collection(
        _SHARED if is_shared else _LOCAL, _Resource(handle, create_op, is_initialized_op)
    )


def shared_resources():
    """The resources that all tasks see."""
    return get_default_graph().get_collection(_SHARED)


def local_resources():
    """The resources of one session."""
    return get_default_graph().get_collection(_LOCAL)


def report_uninitialized_resources(resource_list=None, name="report_uninitialized_resources"):
    """The names of the resources that are not there yet, by default of all in the graph."""
    found = shared_resources() + local_resources() if resource_list is None else resource_list
    with get_default_graph().name_scope(name):
        if not found:
            return constant([], dtypes.string)
        absent = logical_not(stack([r.is_initialized for r in found]))
        return boolean_mask(constant([r.handle.name for r in found]), absent)


def initialize_resources(resource_list, name="init"):
    """An op that creates resources."""
    return group(*[r.create for r in resource_list], name=name)
