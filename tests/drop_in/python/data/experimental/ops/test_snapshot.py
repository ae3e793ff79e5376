"""The names of the module; what the older snapshot does is in tests/data/engine/test_legacy_snapshots.py."""

import reflow as tf
from reflow.drop_in.python.data.experimental.ops import snapshot


def test_both_forms_keep_the_elements(tmp_path):
    for make, compression in (
        (snapshot.snapshot, snapshot.COMPRESSION_SNAPPY), (snapshot.legacy_snapshot, snapshot.COMPRESSION_GZIP)
    ):
        dataset = tf.data.Dataset.range(4).apply(make(str(tmp_path / make.__name__), compression=compression))
        assert [int(x) for x in dataset.repeat(2)] == [0, 1, 2, 3] * 2
    assert snapshot.COMPRESSION_NONE is None
