"""Clusters as eager code sees them."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_other_processes_are_refused_by_name():
    spec = tf.train.ClusterSpec({"worker": ["127.0.0.1:2222"]})
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(spec, master="grpc://127.0.0.1:2222")
    with pytest.raises(NotImplementedError, match="ParameterServerStrategy"):
        tf.config.experimental_connect_to_cluster(resolver)


def test_a_cluster_of_one_process_needs_no_connection():
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec({}))
    assert tf.config.experimental_connect_to_cluster(resolver) is None
