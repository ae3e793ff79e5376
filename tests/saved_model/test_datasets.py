"""Datasets in SavedModels: as TensorFlow wrote them, and as we write them (`tools/golden/saved_datasets.py`)."""

import pytest

import reflow as tf
from reflow.saved_model import datasets, saved_model_proto
from tools.golden import saved_datasets as golden


def test_datasets_that_tensorflow_wrote():
    assert golden.answers(tf, tf.saved_model.load(golden.GOLDEN)) == golden.ANSWERS


def test_round_trips(tmp_path):
    golden.write(tf, tmp_path / "first")
    first = tf.saved_model.load(tmp_path / "first")
    assert golden.answers(tf, first) == golden.ANSWERS
    assert (tmp_path / "first" / "assets" / "words.txt").read_text().split() == golden.WORDS
    first.weight.assign(4)
    tf.saved_model.save(first, tmp_path / "second")
    second = tf.saved_model.load(tmp_path / "second")
    assert golden.answers(tf, second) == golden.ANSWERS | {"weighted": [0, 4, 8]}


def holder(dataset):
    module = tf.Module()
    module.dataset = dataset
    module.count = tf.function(lambda: module.dataset.reduce(0, lambda n, _: n + 1), input_signature=[])
    return module


@pytest.mark.parametrize("kind", ["plain", "of tensors", "dense"])
def test_tables_are_written_with_their_entries(tmp_path, kind):
    make = {
        "plain": lambda: tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1),
        "of tensors": lambda: tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, [-1, -1]),
        "dense": lambda: tf.lookup.experimental.DenseHashTable(
            tf.string, tf.int64, -1, "", "deleted", initial_num_buckets=4
        ),
    }
    table = make[kind]()
    table.insert(tf.constant(["a"]), tf.constant([[5, 6]] if kind == "of tensors" else [5], tf.int64))
    module = holder(tf.data.Dataset.from_tensor_slices(["a", "b"]).map(table.lookup))
    module.all = tf.function(lambda: module.dataset.batch(2).get_single_element(), input_signature=[])
    tf.saved_model.save(module, tmp_path)
    table.insert(tf.constant(["b"]), tf.constant([[7, 7]] if kind == "of tensors" else [7], tf.int64))
    found = tf.saved_model.load(tmp_path).all().numpy().tolist()
    assert found == ([[5, 6], [-1, -1]] if kind == "of tensors" else [5, -1])


def test_what_no_file_can_hold(tmp_path):
    variable, numbers = tf.Variable(1, dtype=tf.int64), tf.data.Dataset.range(3)
    with pytest.raises(tf.errors.FailedPreconditionError, match="input pipeline graph: ReadVariableOp is stateful"):
        tf.saved_model.save(holder(numbers.map(lambda x: x * variable)), tmp_path)
    with pytest.raises(tf.errors.FailedPreconditionError, match="input pipeline graph: PyFunc is stateful"):
        generated = tf.data.Dataset.from_generator(lambda: iter([1]), output_signature=tf.TensorSpec([], tf.int32))
        tf.saved_model.save(holder(generated), tmp_path)
    module = tf.Module()
    module.count = tf.function(lambda: numbers.reduce(0, lambda n, _: n + 1), input_signature=[])
    with pytest.raises(AssertionError, match="references an 'untracked' resource"):
        tf.saved_model.save(module, tmp_path)
    with tf.Graph().as_default(), pytest.raises(NotImplementedError, match="datasets created eagerly"):
        datasets.VariantTracker(tf.data.Dataset.range(3))


def test_files_outside_of_the_model_are_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(saved_model_proto, "written_here", lambda model: False)
    (tmp_path / "secret.txt").write_text("secret")
    names = tf.data.Dataset.from_tensor_slices([str(tmp_path / "secret.txt")])
    tf.saved_model.save(holder(tf.data.TextLineDataset(names)), tmp_path / "reader")
    with pytest.raises(tf.errors.PermissionDeniedError, match="may only read assets"):
        tf.saved_model.load(tmp_path / "reader").count()
    tf.saved_model.save(holder(tf.data.Dataset.range(3).cache(str(tmp_path / "cache"))), tmp_path / "writer")
    with pytest.raises(tf.errors.PermissionDeniedError, match="keep elements in memory"):
        tf.saved_model.load(tmp_path / "writer").count()
