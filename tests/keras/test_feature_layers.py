"""`DenseFeatures`, `SequenceFeatures`, `LinearModel` and `WideDeepModel` under Keras."""

import numpy as np
import pytest

import reflow as tf

fc = tf.feature_column
keras = tf.keras
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation")


def data():
    random = np.random.RandomState(0)
    return {"n": random.randn(32).astype("float32"), "s": random.choice(["a", "b", "c"], 32)}


def columns():
    number = fc.numeric_column("n")
    words = fc.categorical_column_with_vocabulary_list("s", ["a", "b", "c"])
    return [number, fc.bucketized_column(number, [0.0]), fc.indicator_column(words), fc.embedding_column(words, 2)]


def test_a_model_learns_and_is_saved(tmp_path):
    keras.utils.set_random_seed(0)
    features = data()
    examples = tf.data.Dataset.from_tensor_slices((features, (features["n"] > 0).astype("float32"))).batch(8)
    model = keras.Sequential([keras.layers.DenseFeatures(columns()), keras.layers.Dense(1)])
    model.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True))
    history = model.fit(examples, epochs=3, verbose=0, shuffle=False).history["loss"]
    assert history[-1] < history[0]
    assert [v.path.rpartition("/")[2] for v in model.layers[0].trainable_variables] == ["s_embedding_embedding_weights"]
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(loaded.predict(examples, verbose=0), model.predict(examples, verbose=0))


def test_numbers_are_those_of_input_layer():
    layer = keras.layers.DenseFeatures(columns())
    got = layer({k: tf.constant(v) for k, v in data().items()})
    table = layer.variables[0].numpy()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        wanted = tf.compat.v1.feature_column.input_layer({k: tf.constant(v) for k, v in data().items()}, columns())
        session.run([tf.compat.v1.global_variables_initializer(), tf.compat.v1.tables_initializer()])
        session.run(tf.compat.v1.assign(tf.compat.v1.global_variables()[0], table))
        np.testing.assert_allclose(got.numpy(), session.run(wanted))


def test_refusals():
    with pytest.raises(ValueError, match="must be a _DenseColumn"):
        keras.layers.DenseFeatures([fc.categorical_column_with_identity("a", 3)])
    with pytest.raises(ValueError, match="expected a dictionary"):
        keras.layers.DenseFeatures(columns()[:1])(tf.ones([2, 1]))
    with pytest.raises(ValueError, match="SequenceDenseColumn"):
        keras.experimental.SequenceFeatures(columns()[:1])


def test_sequences():
    ids = fc.sequence_categorical_column_with_identity("q", 5)
    layer = keras.experimental.SequenceFeatures([fc.embedding_column(ids, 2), fc.sequence_numeric_column("x")])
    x = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1.0, 2.0, 3.0], [2, 2])
    numbers, lengths = layer({"q": tf.sparse.from_dense([[1, 2], [3, 0]]), "x": x})
    assert numbers.shape == (2, 2, 3) and lengths.numpy().tolist() == [2, 1]
    with pytest.raises(tf.errors.InvalidArgumentError):
        layer({"q": tf.sparse.from_dense([[1, 0], [3, 0]]), "x": x})


def test_wide_and_deep():
    """Each part is trained by its own optimizer."""
    x = np.random.RandomState(1).randn(32, 3).astype("float32")
    deep = keras.Sequential([keras.layers.Dense(1)])
    model = keras.experimental.WideDeepModel(keras.experimental.LinearModel(), deep)
    model.compile([keras.optimizers.SGD(0.0), keras.optimizers.SGD(0.1)], loss="mse")
    history = model.fit(x, x.sum(1, keepdims=True), epochs=3, verbose=0).history["loss"]
    assert history[-1] < history[0] and np.all(model.linear_model.dense_layers[0].kernel.numpy() == 0.0)
    assert np.any(deep.layers[0].kernel.numpy() != 0.0)
    both = keras.experimental.LinearModel(units=2, kernel_initializer="ones")
    out = both({"a": tf.ones([1, 2]), "b": tf.ones([1, 3])})
    assert out.numpy().tolist() == [[5.0, 5.0]]
