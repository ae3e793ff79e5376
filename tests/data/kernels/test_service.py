"""The op of the data service."""

import reflow as tf
from reflow.ops import registry


def test_making_the_dataset_asks_nobody():
    record = registry.get("Reflow>DataServiceDataset")
    made = record.kernel(None, address="127.0.0.1:1", dataset_id="d", policy="OFF", job=None)
    assert made.cardinality() == tf.data.UNKNOWN_CARDINALITY and record.touches == ("network",)
