"""`tf.compat.v1.train.Scaffold`: the operations that a training session needs besides the training itself."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange
from reflow.api.control.printing import group
from reflow.api.export import export
from reflow.compat import graph_variables, summary
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.train.saver import Saver
from reflow.core.logging import logger
from reflow.core.properties import shown
from reflow.ops.convert import constant

#: an argument of `Scaffold` that was left out on purpose
USE_DEFAULT = object()


@export("compat.v1.train.Scaffold")
class Scaffold:
    """How a model is initialised, when it is ready, and how it is saved.

    What is not given is found in the graph's collections, or made by `finalize`.

    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_variable("v", initializer=tf.constant(3))
    ...     scaffold = tf.compat.v1.train.Scaffold(init_fn=lambda scaffold, session: print("initialised"))
    ...     with tf.compat.v1.train.SingularMonitoredSession(scaffold=scaffold) as session:
    ...         session.run(v).item()
    initialised
    3
    """

    def __init__(
        self, init_op=None, init_feed_dict=None, init_fn=None, ready_op=None, ready_for_local_init_op=None,
        local_init_op=None, summary_op=None, saver=None, copy_from_scaffold=None, local_init_feed_dict=None,
    ):
        self._user_init_fn: Any = None
        if copy_from_scaffold is not None:
            if not isinstance(copy_from_scaffold, Scaffold):
                raise TypeError("copy_from_scaffold is not a Scaffold instance.")

            def either(given, name):
                return given if given is not None else getattr(copy_from_scaffold, name)

            init_op = either(init_op, "init_op")
            init_feed_dict = either(init_feed_dict, "init_feed_dict")
            init_fn = init_fn or copy_from_scaffold._user_init_fn
            ready_op = either(ready_op, "ready_op")
            ready_for_local_init_op = either(ready_for_local_init_op, "ready_for_local_init_op")
            local_init_op = either(local_init_op, "local_init_op")
            local_init_feed_dict = either(local_init_feed_dict, "local_init_feed_dict")
            summary_op = either(summary_op, "summary_op")
            saver = either(saver, "saver")
        self._user_init_fn = init_fn
        self._init_fn = None if init_fn is None else lambda session: init_fn(self, session)
        self._init_op, self._init_feed_dict = init_op, init_feed_dict
        self._ready_op, self._ready_for_local_init_op = ready_op, ready_for_local_init_op
        self._local_init_op, self._local_init_feed_dict = local_init_op, local_init_feed_dict
        self._summary_op, self._saver = summary_op, saver

    init_fn, init_op, init_feed_dict = shown("init_fn", "init_op", "init_feed_dict")
    ready_op, ready_for_local_init_op = shown("ready_op", "ready_for_local_init_op")
    local_init_op, local_init_feed_dict = shown("local_init_op", "local_init_feed_dict")
    summary_op, saver = shown("summary_op", "saver")

    def finalize(self) -> Scaffold:
        """Create what is missing, and finalize the graph."""
        found = self.get_or_default
        if self._init_op is None:
            self._init_op = found("init_op", GraphKeys.INIT_OP, _default_init)
        if self._ready_op is None:
            self._ready_op = found("ready_op", GraphKeys.READY_OP, _default_ready)
        if self._ready_for_local_init_op is None:
            self._ready_for_local_init_op = found(
                "ready_for_local_init_op", GraphKeys.READY_FOR_LOCAL_INIT_OP, _default_ready_for_local
            )
        if self._local_init_op is None:
            self._local_init_op = found("local_init_op", GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op)
        if self._summary_op is None:
            self._summary_op = found("summary_op", GraphKeys.SUMMARY_OP, summary.merge_all)
        if self._saver is None:
            self._saver = _the_saver()
        self._saver.build()
        get_default_graph().finalize()
        logger.info("Graph was finalized.")
        return self

    @staticmethod
    def get_or_default(arg_name, collection_key, default_constructor):
        """What a collection holds; if it is empty, what the function makes, which goes there."""
        elements = get_default_graph().get_collection(collection_key)
        if elements:
            if len(elements) > 1:
                raise RuntimeError(
                    f"More than one item in the collection '{collection_key}'. Please indicate which one to use by "
                    f"passing it to the tf.Scaffold constructor as:  tf.Scaffold({arg_name}=item to use)"
                )
            return elements[0]
        made = default_constructor()
        if made is not None:
            get_default_graph().add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op():
        """An operation that initialises local variables and tables."""
        return group(graph_variables.local_variables_initializer(), graph_variables.tables_initializer())


def _default_init():
    return group(graph_variables.global_variables_initializer(), *_resource_initializers())


def _resource_initializers() -> list:
    return get_default_graph().get_collection("resources_initializers")


def _default_ready():
    return arrange.concat([graph_variables.report_uninitialized_variables(), constant([], "string")], 0)


def _default_ready_for_local():
    variables = graph_variables.global_variables()
    return graph_variables.report_uninitialized_variables(variables)


def _the_saver() -> Saver:
    """The graph's saver; a new one if there is none."""
    savers = get_default_graph().get_collection(GraphKeys.SAVERS)
    if len(savers) > 1:
        raise RuntimeError(
            f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to use by "
            "passing it to the constructor."
        )
    if savers:
        return savers[0]
    saver = Saver(sharded=True, allow_empty=True, save_relative_paths=True)
    get_default_graph().add_to_collection(GraphKeys.SAVERS, saver)
    return saver
