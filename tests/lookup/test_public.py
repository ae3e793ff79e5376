"""`tf.lookup`: kinds of tables, their errors, functions, datasets, checkpoints."""

import numpy as np
import pytest

import reflow as tf

Init = tf.lookup.KeyValueTensorInitializer


def static(values=(1, 2)):
    return tf.lookup.StaticHashTable(Init(["a", "b"], list(values)), -1)


def test_static_table():
    table = static()
    assert table.lookup(tf.constant([["a", "z"]])).numpy().tolist() == [[1, -1]]
    assert table.lookup(tf.ragged.constant([["a"], ["z", "b"]])).to_list() == [[1], [-1, 2]]
    assert table[tf.sparse.from_dense([["a", "b"]])].values.numpy().tolist() == [1, 2]
    assert int(table.size()) == 2 and int(table.default_value) == -1
    assert (table.key_dtype, table.value_dtype) == (tf.string, tf.int32)
    keys, values = table.export()
    assert dict(zip(keys.numpy().tolist(), values.numpy().tolist())) == {b"a": 1, b"b": 2}


def test_static_errors():
    with pytest.raises(tf.errors.FailedPreconditionError, match="Key a has 1 and trying to add value 2"):
        tf.lookup.StaticHashTable(Init(["a", "a"], [1, 2]), -1)
    assert int(tf.lookup.StaticHashTable(Init(["a", "a"], [1, 1]), -1).size()) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected shape \[2\] for value, got \[1\]"):
        tf.lookup.StaticHashTable(Init(["a", "b"], [1]), -1)
    with pytest.raises(ValueError, match="not compatible"):
        tf.lookup.StaticHashTable(Init(["a"], [1]), [1, 2])
    with pytest.raises(TypeError, match="Dtype of argument `keys` must be"):
        static().lookup(tf.constant([1]))


def test_text_files(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("emerson 10\nlake 20\npalmer 30\n")
    columns = tf.lookup.TextFileInitializer(str(path), tf.string, 0, tf.int64, 1, delimiter=" ")
    assert tf.lookup.StaticHashTable(columns, -1)[tf.constant(["palmer", "x"])].numpy().tolist() == [30, -1]
    index = tf.lookup.TextFileIndex
    lines = tf.lookup.TextFileInitializer(
        str(path), tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER, value_index_offset=5)
    assert int(tf.lookup.StaticHashTable(lines, -1)[tf.constant("lake 20")]) == 6

    def table(**facts):
        given = dict(
            filename=str(path), key_dtype=tf.string, key_index=0, value_dtype=tf.int64, value_index=1, delimiter=" "
        )
        return tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(**(given | facts)), -1)

    assert int(table(vocab_size=2).size()) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected at least 6 got 2"):
        table(value_index=5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Field emerson in line 0 is not a valid int64"):
        table(value_index=0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid vocab_size"):
        table(vocab_size=9)
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        table(filename="/no/such/file")
    with pytest.raises(ValueError, match="must be int64 if `key_index` is -1"):
        table(key_index=-1)


def test_vocabulary_table():
    table = tf.lookup.StaticVocabularyTable(Init(["emerson", "lake", "palmer"], np.arange(3)), 3)
    # as TensorFlow's
    assert table[tf.constant(["emerson", "lake", "x", "yy", "zebra"])].numpy().tolist() == [0, 1, 5, 4, 5]
    assert int(table.size()) == 6
    numbers = tf.lookup.StaticVocabularyTable(Init(np.array([5, 7]), np.arange(2)), 4, lookup_key_dtype=tf.int32)
    assert numbers[tf.constant([5, 7, 8, 9])].numpy().tolist() == [0, 1, 5, 3]
    with pytest.raises(ValueError, match="use StaticHashTable"):
        tf.lookup.StaticVocabularyTable(None, 0)
    with pytest.raises(TypeError, match="Invalid `value_dtype`"):
        tf.lookup.StaticVocabularyTable(Init(["a"], [0]), 3)


def test_mutable_table():
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(["a", "b"], [1, 2])
    assert table.lookup(["a", "q"], dynamic_default_values=tf.constant([7, 8], tf.int64)).numpy().tolist() == [1, 8]
    table.remove(tf.constant(["a", "zz"]))
    assert table.lookup(["a", "b"]).numpy().tolist() == [-1, 2] and int(table.size()) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected shape \[1\] for value, got \[2\]"):
        table.insert(["a"], [1, 2])
    rows = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
    rows.insert([1, 2], [[1.0, 2.0], [3.0, 4.0]])
    assert rows.lookup([[2, 5]]).numpy().tolist() == [[[3, 4], [0, 0]]]


def test_dense_table():
    table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, [-1, -1], 0, -1, initial_num_buckets=4)
    table.insert([11, 12], [[1, 2], [3, 4]])
    keys, values = table.export()
    assert (
        keys.numpy().tolist() == [[12], [0], [0], [11]] and values.numpy().tolist() == [[3, 4], [0, 0], [0, 0], [1, 2]]
    )
    table.erase(tf.constant([12], tf.int64))
    assert table.export()[0].numpy().tolist() == [[-1], [0], [0], [11]] and int(table.size()) == 1
    table.insert(np.arange(1, 10), np.ones((9, 2), int))
    assert int(table.size()) == 10 and table.export()[0].shape == (16, 1)
    for key, name in ((0, "empty_key"), (-1, "deleted_key")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"Using the {name} as a table key"):
            table.lookup([key])
    with pytest.raises(tf.errors.InvalidArgumentError, match="a power of 2, got: 5"):
        tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, 0, -1, initial_num_buckets=5)


def test_functions_capture_tables():
    table = static()

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.string)])
    def find(x):
        found = table.lookup(x)
        assert found.shape.as_list() == [None, 2]
        return found + 1

    for _ in range(3):
        assert find(tf.constant([["a", "z"]])).numpy().tolist() == [[2, 0]]
    counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)

    @tf.function
    def count(words):
        for word in words:
            counts.insert(word, counts.lookup(word) + 1)
        return counts.size()

    for i in (1, 2):
        assert int(count(tf.constant(["x", "y", "x"]))) == 2
        assert counts.lookup(["x", "y"]).numpy().tolist() == [2 * i, i]


def test_datasets_use_tables():
    table = static()
    data = tf.data.Dataset.from_tensor_slices(["a", "b", "c"]).batch(2).map(table.lookup)
    assert [row.numpy().tolist() for row in data] == [[1, 2], [-1]]


def test_checkpoints(tmp_path):
    def tables():
        mutable = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, 0.0, 0, -1, initial_num_buckets=4)
        return tf.train.Checkpoint(mutable=mutable, dense=dense, static=static())

    old = tables()
    old.mutable.insert(["a", "b"], [1, 2])
    old.dense.insert([5, 6], [0.5, 0.25])
    path = old.write(str(tmp_path / "tables"))
    names = {name for name, _ in tf.train.list_variables(path)}
    assert {"mutable/.ATTRIBUTES/table-keys", "dense/.ATTRIBUTES/table-values"} <= names
    new = tables()
    new.mutable.insert(["z"], [9])
    new.read(path).assert_consumed()
    assert new.mutable.lookup(["a", "b", "z"]).numpy().tolist() == [1, 2, -1]
    assert new.dense.lookup([5, 6, 7]).numpy().tolist() == [0.5, 0.25, 0.0]
