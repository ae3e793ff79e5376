"""`save`, `load`, `snapshot`."""

import numpy as np
import pytest

import reflow as tf

D = tf.data.Dataset


@pytest.mark.parametrize("compression", [None, "GZIP", "SNAPPY"])
def test_elements_of_all_kinds_come_back(tmp_path, compression):
    parts = {
        "a": tf.range(5),
        "b": (
            tf.constant([b"a", b"bc", b"", b"x", b"y"]), tf.sparse.eye(5),
            tf.ragged.constant([[1], [], [2, 3], [4], [5]]),
        ),
    }
    ds = D.from_tensor_slices(parts)
    ds.save(str(tmp_path), compression=compression)
    back = D.load(str(tmp_path), compression=compression)
    assert back.element_spec == ds.element_spec and len(back) == 5
    for x, y in zip(ds, back, strict=True):
        for p, q in zip(
            tf.nest.flatten(x, expand_composites=True), tf.nest.flatten(y, expand_composites=True), strict=True
        ):
            np.testing.assert_array_equal(p.numpy(), q.numpy())


def test_shards_and_a_reader_of_them(tmp_path):
    D.range(4).save(str(tmp_path), shard_func=lambda x: x % 2)
    backwards = D.load(str(tmp_path), reader_func=lambda shards: shards.flat_map(lambda s: s))
    assert [int(x) for x in backwards] == [0, 2, 1, 3]


def test_what_cannot_be(tmp_path):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unsupported compression_type: LZ4"):
        D.range(3).save(str(tmp_path), compression="LZ4")
    with pytest.raises(tf.errors.NotFoundError, match="element_spec file not found"):
        D.load(str(tmp_path / "nowhere"))
