"""The version whose behaviour Reflow has."""

import reflow as tf
from reflow.drop_in.python.framework import versions


def test_versions():
    assert (
        versions.VERSION == versions.__version__ == tf.version.VERSION == "2.21.0"
        and versions.GRAPH_DEF_VERSION == 2474
    )
