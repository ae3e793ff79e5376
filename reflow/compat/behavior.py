"""`tf.compat.v1`: whether code outside functions runs eagerly (TensorFlow 2) or builds the default graph (1)."""

from __future__ import annotations

import contextlib
from typing import Any

from reflow.api import config
from reflow.api.export import export, export_function, with_sections
from reflow.api.framework.internal import switch_version_two
from reflow.compat.switches.equality import disable_tensor_equality, enable_tensor_equality
from reflow.compat.switches.tensor_shapes import disable_v2_tensorshape, enable_v2_tensorshape
from reflow.core.context import State, state
from reflow.devices import placement
from reflow.graph.graph import Graph

_default: list = [None]


def _new_graph() -> Graph:
    _default[0] = Graph()
    return _default[0]


def open_scope() -> Any:
    """The innermost variable scope of a plain graph; functions and eager code have none that could be left open."""
    if state.graph is None or state.graph.building_function:
        return None
    from reflow.compat.variable_scopes import get_variable_scope  # loaded by programs of version 1 only

    return get_variable_scope()


@export("compat.v1.get_default_graph")
def get_default_graph() -> Graph:
    """Returns the graph under construction; a global one in eager code.

    Returns:
      A `tf.Graph`.

    >>> with tf.Graph().as_default() as graph:
    ...     tf.compat.v1.get_default_graph() is graph
    True
    """
    if state.graph is not None:
        return state.graph
    return _default[0] or _new_graph()


@export("compat.v1.reset_default_graph")
def reset_default_graph():
    """Replaces the global graph by an empty one. Tensors of the old one stay usable in sessions that were made for it.

    Returns:
      None.

    Raises:
      AssertionError: Another graph is under construction.

    >>> before = tf.compat.v1.get_default_graph()
    >>> tf.compat.v1.reset_default_graph()
    >>> tf.compat.v1.get_default_graph() is before
    False
    """
    if state.graph is not None and state.graph is not _default[0]:
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit the nesting "
            "and create a new graph."
        )
    graph = _new_graph()
    if state.graph is not None:
        state.put({"graph": graph})
    if State.default_graph is not None:
        State.default_graph = graph


@export("compat.v1.disable_eager_execution")
def disable_eager_execution():
    """Makes ops build the default graph from now on, as in TensorFlow 1; a session runs it. At the start of a program
    only.

    Returns:
      None.

    >>> with tf.Graph().as_default() as graph:      # the same for one graph, without a switch
    ...     doubled = tf.constant(2.0) * 2.0
    >>> tf.compat.v1.Session(graph=graph).run(doubled).item()
    4.0
    """
    if state.graph is None:
        if _default[0] is None:
            _new_graph()
        state.put({"graph": _default[0]})
    State.default_graph = _default[0]


@export("compat.v1.enable_eager_execution")
def enable_eager_execution(config=None, device_policy=None, execution_mode=None):
    """Makes ops run at once, as from the start; undoes `disable_eager_execution` if the graph is still empty.

    Args:
      config: A `tf.compat.v1.ConfigProto`.
      device_policy: Must be None.
      execution_mode: None, 0 or 1, without effect.

    Returns:
      None.

    Raises:
      ValueError: The graph is not empty, or an argument has another value.

    >>> tf.compat.v1.enable_eager_execution()      # at the start of a program
    >>> tf.compat.v1.executing_eagerly()
    True
    """
    if config is not None:
        from reflow.compat.session import apply_config

        apply_config(config)
    if device_policy is not None or execution_mode not in (None, 0, 1):
        raise ValueError("enable_eager_execution: device_policy and execution_mode must be left out.")
    if state.graph is not None and state.graph is _default[0]:
        if state.graph.nodes:
            raise ValueError("tf.enable_eager_execution must be called at program startup.")
        state.put({"graph": None})
        State.default_graph = None


@export("compat.v1.colocate_with")
def colocate_with(op, ignore_existing=False):
    """Puts the ops of a `with` block on the device of another op, tensor or variable.

    Args:
      op: An op, a tensor, a variable, or None.
      ignore_existing: Whether colocations from outside are dropped; in graphs only.

    Returns:
      A context manager.

    >>> with tf.Graph().as_default():
    ...     x = tf.constant(1.0, name="x")
    ...     with tf.compat.v1.colocate_with(x):
    ...         print((x + 1.0).op.colocation_groups())
    [b'loc:@x']
    """
    symbolic = getattr(op, "graph", None) is state.graph and state.graph is not None
    if op is None and state.graph is None:
        return contextlib.nullcontext()
    if op is None or symbolic:
        return get_default_graph().colocate_with(op, ignore_existing)
    return placement.DeviceScope(op.device)


@export("compat.v1.device")
def device(device_name_or_function):
    """Puts the nodes of a `with` block on a device.

    Args:
      device_name_or_function: The name of a device, or in graphs a function of a node that returns one.

    Returns:
      A context manager.

    Raises:
      RuntimeError: A function is given in eager code.

    >>> with tf.Graph().as_default():
    ...     with tf.compat.v1.device(lambda node: "/cpu:0" if node.type == "Const" else None):
    ...         tf.constant(1.0).device
    '/cpu:0'
    """
    if callable(device_name_or_function) and state.graph is None:
        raise RuntimeError("tf.device does not support functions when eager execution is enabled.")
    return config.device(device_name_or_function)


def _answer(switched: str, doc: str):
    def enabled() -> bool:
        return _switches[switched]

    public = f"compat.v1.{switched}_enabled"
    doc = f"{doc}\n\nReturns:\n  A bool: what was switched last."
    return export_function(enabled, public, doc=doc, example=f">>> tf.{public}()\nTrue")


control_flow_v2_enabled = _answer(
    "control_flow_v2", "Says whether branches and loops are nodes that call functions."
)
resource_variables_enabled = _answer(
    "resource_variables", "Says whether variables are resources unless a program says otherwise."
)


#: what version 1 lets a program choose. Reflow's loops and variables have the form of version 2 in either case; the
#: first decides what structure `while_loop` returns
_switches = {"control_flow_v2": True, "resource_variables": True}


def _switch(name: str, switched: str, value: bool, doc: str):
    def switch():
        _switches[switched] = value

    example = f">>> tf.compat.v1.{name}()\n>>> tf.compat.v1.{switched}_enabled()\n{value}"
    back = "" if value else f"\n>>> tf.compat.v1.enable_{switched}()      # back to the start"
    return export_function(switch, f"compat.v1.{name}", doc=f"{doc}\n\nReturns:\n  None.", example=example + back)


enable_control_flow_v2 = _switch(
    "enable_control_flow_v2", "control_flow_v2", True, "Makes `control_flow_v2_enabled` answer True."
)
disable_control_flow_v2 = _switch(
    "disable_control_flow_v2", "control_flow_v2", False,
    "Makes `control_flow_v2_enabled` answer False; `while_loop` returns the structure that its body returns.",
)
enable_resource_variables = _switch(
    "enable_resource_variables", "resource_variables", True, "Makes `resource_variables_enabled` answer True."
)
disable_resource_variables = _switch(
    "disable_resource_variables", "resource_variables", False,
    "Makes `resource_variables_enabled` answer False. Every variable is a resource all the same: a read "
    "has the value of its moment.",
)


@export("compat.v1.disable_v2_behavior")
def disable_v2_behavior():
    """Switches to version 1 throughout, at the start of a program only.

    Ops build the default graph, tensors are compared by identity, the sizes of a shape are `Dimension`s.

    Returns:
      None.

    >>> tf.compat.v1.reset_default_graph()
    >>> tf.compat.v1.disable_v2_behavior()
    >>> tf.compat.v1.executing_eagerly()
    False
    >>> tf.compat.v1.enable_v2_behavior()      # possible while the graph is still empty
    """
    switch_version_two(False)
    disable_eager_execution()
    disable_tensor_equality()
    disable_v2_tensorshape()
    disable_control_flow_v2()
    disable_resource_variables()


@export("compat.v1.enable_v2_behavior")
def enable_v2_behavior():
    """Switches to version 2 throughout, as at the start; undoes `disable_v2_behavior` if the graph is still empty.

    Returns:
      None.

    Raises:
      ValueError: The graph is not empty.

    >>> tf.compat.v1.enable_v2_behavior()
    >>> tf.compat.v1.executing_eagerly()
    True
    """
    switch_version_two(True)
    enable_eager_execution()
    enable_tensor_equality()
    enable_v2_tensorshape()
    enable_control_flow_v2()
    enable_resource_variables()


@export("compat.v1.get_collection")
def get_collection(key, scope=None) -> list:
    """Returns the values of a collection of the default graph.

    Args:
      key: The name of the collection.
      scope: Only values whose names match this regular expression at their beginning are returned, if it is given.

    Returns:
      A list, a copy of the collection.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.add_to_collection("seen", "a")
    ...     tf.compat.v1.get_collection("seen")
    ['a']
    """
    return get_default_graph().get_collection(key, scope)


@export("compat.v1.GraphKeys")
class GraphKeys:
    """Names of collections.

    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_variable("v", [2])
    ...     [v.name for v in tf.compat.v1.get_collection(tf.compat.v1.GraphKeys.TRAINABLE_VARIABLES)]
    ['v:0']
    """

    GLOBAL_VARIABLES = "variables"
    VARIABLES = GLOBAL_VARIABLES
    LOCAL_VARIABLES = "local_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    UPDATE_OPS = "update_ops"
    REGULARIZATION_LOSSES = "regularization_losses"
    LOSSES = "losses"
    SUMMARIES = "summaries"
    GLOBAL_STEP = "global_step"
    TABLE_INITIALIZERS = "table_initializer"
    SAVERS = "savers"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    EVAL_STEP = "eval_step"
    ASSET_FILEPATHS = "asset_filepaths"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"
    MODEL_VARIABLES = "model_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    METRIC_VARIABLES = "metric_variables"
    QUEUE_RUNNERS = "queue_runners"
    SUMMARY_OP = "summary_op"
    TRAIN_OP = "train_op"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"


_ADDING = """\
Args:
  name: The name of the collection.
  names: The names of the collections.
  value: The value.

Returns:
  None.
"""


@export("compat.v1.add_to_collection")
@with_sections(_ADDING)
def add_to_collection(name, value):
    """Appends a value to a collection of the default graph.

    >>> with tf.Graph().as_default() as graph:
    ...     tf.compat.v1.add_to_collection("seen", 7)
    ...     graph.get_collection("seen")
    [7]
    """
    get_default_graph().add_to_collection(name, value)


@export("compat.v1.add_to_collections")
@with_sections(_ADDING)
def add_to_collections(names, value):
    """Appends a value to several collections of the default graph.

    >>> with tf.Graph().as_default() as graph:
    ...     tf.compat.v1.add_to_collections(["seen", "kept"], 7)
    ...     graph.get_collection("seen"), graph.get_collection("kept")
    ([7], [7])
    """
    get_default_graph().add_to_collections(names, value)


@export("compat.v1.get_collection_ref")
def get_collection_ref(key) -> list:
    """Returns a collection of the default graph itself, which may be changed.

    Args:
      key: The name of the collection.

    Returns:
      The list.

    >>> with tf.Graph().as_default() as graph:
    ...     tf.compat.v1.get_collection_ref("seen").append(7)
    ...     graph.get_collection("seen")
    [7]
    """
    return get_default_graph().get_collection_ref(key)
