"""`tensorflow.python.framework.auto_control_deps`: nodes of a plain graph in the order in which they were made, as in
functions.

Also `auto_control_deps_utils`: which resources a node only looks at.
"""

import functools

from reflow.api.array.arrange import identity
from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.tensor import is_tensor
from reflow.graph.control_edges import Order

#: ops with effects whose order does not matter. Reflow runs effects in program order, which is one of the orders.
MUST_RUN_ORDER_INSENSITIVE_STATEFUL_OPS: frozenset = frozenset()
READ_ONLY_RESOURCE_INPUTS_ATTR = "_read_only_resource_inputs"


def op_is_stateful(op):
    """Whether an op, or a node, does more than compute its results."""
    return op.record.stateful if hasattr(op, "record") else op.is_stateful


class AutomaticControlDependencies:
    """A `with` block whose nodes wait for one another where their effects meet; what is marked as returned waits for
    all effects.

    In a function that is so anyway, and eager code runs line by line.
    """

    def __init__(self):
        self._returned: list = []
        self._independent: set = set()
        # known after the block: its nodes with effects, and the reads that something uses
        self.ops_which_must_run: set = set()

    def __enter__(self):
        graph = state.graph
        self._graph = None if graph is None or graph.building_function else graph
        self._start = 0 if graph is None else len(graph.nodes)
        return self

    def mark_as_return(self, tensor):
        """A tensor, or each part of slices, as one that waits for the effects of the block."""
        if isinstance(tensor, IndexedSlices):
            shape = None if tensor.dense_shape is None else self.mark_as_return(tensor.dense_shape)
            return IndexedSlices(self.mark_as_return(tensor.values), self.mark_as_return(tensor.indices), shape)
        if getattr(tensor, "_is_tensor_array", False):
            return tensor.with_flow(self.mark_as_return(tensor.flow))
        marked = nest.map_structure(identity, tensor, expand_composites=True)
        self._returned += nest.flatten(marked, expand_composites=True)
        return marked

    def run_independently(self, op):
        """Let a node of the block wait for no other."""
        self._independent.add(op)

    def __exit__(self, kind, error, traceback):
        if self._graph is None or kind is not None:
            return
        returned = {t.op for t in self._returned}
        nodes = self._graph.nodes[self._start :]
        used = {t.op for n in nodes for t in n.inputs}
        self.ops_which_must_run = {n for n in nodes if n.record.must_run or n.record.stateful and n in used}
        order = Order([n for n in nodes if n not in returned and n not in self._independent])
        for node, earlier in order.before.items():
            node._add_control_inputs(earlier)
        for node in returned:
            node._add_control_inputs(order.must_run)


def automatic_control_dependencies(f):
    """A function whose results, in a plain graph, wait for the effects of its body."""

    @functools.wraps(f)
    def call(*args, **kwargs):
        with AutomaticControlDependencies() as dependencies:
            result = f(*args, **kwargs)
            return nest.map_structure(lambda x: dependencies.mark_as_return(x) if is_tensor(x) else x, result)

    return call


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
