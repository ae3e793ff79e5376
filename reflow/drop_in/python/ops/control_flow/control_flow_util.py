"""`tensorflow.python.ops.control_flow_util`: what kind of graph is under construction, and which nodes belong to
control flow.

Branches and loops are nodes that call functions here, so no graph has contexts of version 1's control flow.
"""

from reflow.compat import behavior
from reflow.core.context import state
from reflow.ops.kernels.control import dataflow

ENABLE_CONTROL_FLOW_V2 = True


def EnableControlFlowV2(graph) -> bool:
    """Whether branches and loops in a graph are nodes that call functions."""
    return behavior.control_flow_v2_enabled() or graph.building_function


def GraphOrParentsInXlaContext(graph) -> bool:
    """Whether a graph, or one around it, is compiled whole (`jit_compile=True`)."""
    while graph is not None:
        if getattr(graph, "jit_compile", False):
            return True
        graph = getattr(graph, "outer_graph", None)
    return False


def InXlaContext(graph) -> bool:
    """Whether a graph is compiled whole."""
    return bool(getattr(graph, "jit_compile", False))


def IsInXLAContext(op) -> bool:
    """Whether an operation belongs to a graph that is compiled whole."""
    return GraphOrParentsInXlaContext(op.graph)


def in_defun() -> bool:
    """Whether a function is traced."""
    return state.graph is not None and state.graph.building_function


def IsInWhileContext(op) -> bool:
    """Whether an operation is in a loop of version 1: never."""
    return False


IsInCond = IsInWhileLoop = IsInWhileContext


def IsCondSwitch(op) -> bool:
    """Whether an operation is a switch of a branch of version 1: those are no branches here."""
    return False


IsCondMerge = IsLoopSwitch = IsLoopMerge = IsCondSwitch


def GetOutputContext(op):
    """The branch or loop of version 1 that an operation's outputs belong to: None, as there are none."""
    return op._get_control_flow_context()


def IsContainingContext(ctxt, maybe_containing_ctxt) -> bool:
    """Whether a context is another one, or lies in it."""
    while ctxt is not maybe_containing_ctxt:
        if ctxt is None:
            return False
        ctxt = ctxt.outer_context
    return True


def OpInContext(op, ctxt) -> bool:
    """Whether an operation is in a context."""
    return IsContainingContext(op._get_control_flow_context(), ctxt)


def TensorInContext(tensor, ctxt) -> bool:
    """Whether a tensor is made in a context."""
    return OpInContext(tensor.op, ctxt)


def IsSwitch(op) -> bool:
    return op.record is dataflow.switch or op.type == "RefSwitch"


def IsMerge(op) -> bool:
    return op.record is dataflow.merge or op.type == "RefMerge"


def IsLoopEnter(op) -> bool:
    return op.record is dataflow.enter or op.type == "RefEnter"


def IsLoopExit(op) -> bool:
    return op.record is dataflow.exit_ or op.type == "RefExit"


def GetContainingWhileContext(ctxt, stop_ctxt=None):
    """The loop of version 1 around a context: None, as there are none."""
    return None


GetContainingXLAContext = GetContainingCondContext = GetContainingWhileContext
