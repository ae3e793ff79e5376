"""Matrices of a checkpoint for other vocabularies. The values are TensorFlow 2.21's."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.ops.variable_scope import _PartitionInfo
from reflow.drop_in.python.training import checkpoint_ops

v1 = tf.compat.v1


@pytest.fixture
def files(tmp_path):
    words = {"old_row": "a b c d", "new_row": "d x a", "old_col": "e f g", "new_col": "g e y"}
    paths = {f"{name}_vocab_file": str(tmp_path / name) for name in words}
    for name, path in paths.items():
        with open(path, "w") as file:
            file.write("\n".join(words[name.removesuffix("_vocab_file")].split()))
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("m", initializer=np.arange(12.0, dtype=np.float32).reshape(4, 3))
        session.run(v1.global_variables_initializer())
        return v1.train.Saver().save(session, str(tmp_path / "model")), paths


def evaluated(make):
    with tf.Graph().as_default(), v1.Session() as session:
        return session.run(make()).tolist()


def minus(shape):
    return tf.fill(shape, -1.0)


def test_rows_and_columns(files):
    path, names = files
    load = checkpoint_ops._load_and_remap_matrix
    assert (
        evaluated(lambda: load(path, "m", 0, 3, 3, minus, **names, num_row_oov_buckets=1, num_col_oov_buckets=1))
        == [[11.0, 9.0, -1.0, -1.0], [-1.0, -1.0, -1.0, -1.0], [2.0, 0.0, -1.0, -1.0], [-1.0, -1.0, -1.0, -1.0]]
    )  # fmt: skip
    columns = {name: value for name, value in names.items() if "col" in name}
    assert evaluated(lambda: load(path, "m", 1, 2, 3, minus, **columns)) == [[5.0, 3.0, -1.0], [8.0, 6.0, -1.0]]


def test_what_is_missing(files):
    path, names = files
    load = checkpoint_ops._load_and_remap_matrix
    with pytest.raises(ValueError, match="Must provide either row or column vocab files"):
        load(path, "m", 0, 3, 3, minus)
    with pytest.raises(ValueError, match="num_col_oov_buckets must be >= 0, but received -1"):
        load(path, "m", 0, 3, 3, minus, num_col_oov_buckets=-1)
    with pytest.raises(ValueError, match="new_row_vocab_file must both be specified"):
        load(path, "m", 0, 3, 3, minus, old_row_vocab_file=names["old_row_vocab_file"])


def test_an_initializer_of_parts(files):
    path, names = files
    initial = checkpoint_ops._load_and_remap_matrix_initializer(
        path, "m", 3, 3, **names, num_row_oov_buckets=3, initializer=minus
    )
    parts = [evaluated(lambda i=i: initial([2, 3], partition_info=_PartitionInfo([6, 3], [i, 0]))) for i in (0, 2, 4)]
    assert parts == [[[11.0, 9.0, -1.0], [-1.0] * 3], [[2.0, 0.0, -1.0], [-1.0] * 3], [[-1.0] * 3] * 2]
    for shape, message in (
        ([3], "Expected 2-dim shape"), ([0, 3], "1st dim of shape to be > 0"), ([3, 4], "2nd dim of shape"),
        ([7, 3], "would exceed expected total row count"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            initial(shape)
    with pytest.raises(TypeError, match="only float32 is supported"):
        initial([2, 3], tf.float64)


def test_an_embedding(files):
    path, names = files
    initial = checkpoint_ops._load_embedding_initializer(
        path, "m", 3, 3, names["old_row_vocab_file"], names["new_row_vocab_file"], num_oov_buckets=1
    )
    rows = evaluated(lambda: initial([4, 3]))
    assert rows[0] == [9.0, 10.0, 11.0] and rows[2] == [0.0, 1.0, 2.0]
    assert all(0 < abs(x) < 2 / 3**0.5 + 1e-6 for x in rows[1] + rows[3])


def test_where_a_part_lies():
    assert _PartitionInfo([4, 1], [2, 0]).single_offset([2, 1]) == 2
    assert _PartitionInfo([4, 1], [0, 0]).single_slice_dim([4, 1]) is None
    with pytest.raises(ValueError, match="would exceed self.full_shape"):
        _PartitionInfo([4, 1], [2, 0]).single_slice_dim([4, 1])
    with pytest.raises(ValueError, match="could be either dimension 1 or 0"):
        _PartitionInfo([4, 4], [2, 0]).single_slice_dim([2, 1])
    with pytest.raises(ValueError, match="Expected 0 <= offset < shape"):
        _PartitionInfo([4, 4], [4, 2])
    with pytest.raises(TypeError, match="`var_offset` must be a sequence"):
        _PartitionInfo([4], 4)
