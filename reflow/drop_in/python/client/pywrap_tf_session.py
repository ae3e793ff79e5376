"""`tensorflow.python.client.pywrap_tf_session`: what tests ask TensorFlow's C++ about graphs."""

from __future__ import annotations

from tensorboard.compat.proto.graph_pb2 import GraphDef

from reflow.compat.sessions.testing import assert_equal_graph_def


def EqualGraphDefWrapper(actual: bytes, expected: bytes) -> str:  # noqa: N802 - TensorFlow's name
    """How two serialized GraphDefs differ; empty if they have the same nodes.

    Attributes that begin with `_` do not count.
    """
    try:
        assert_equal_graph_def(_public(actual), _public(expected))
    except AssertionError as difference:
        return str(difference)
    return ""


def _public(serialized: bytes) -> GraphDef:
    graph_def = GraphDef.FromString(serialized)
    for node in graph_def.node:
        for name in [name for name in node.attr if name.startswith("_")]:
            del node.attr[name]
    return graph_def
