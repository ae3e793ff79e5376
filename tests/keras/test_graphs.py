"""Models of `tf.keras` in graphs of TensorFlow 1: their weights are the session's variables, and `fit` trains those."""

import numpy as np
import pytest

import reflow as tf

pytestmark = pytest.mark.filterwarnings(
    "ignore:__array__ implementation", "ignore:`shuffle=True` was passed", "ignore:.*HDF5 file"
)
v1 = tf.compat.v1
keras = tf.keras
K = keras.backend
X = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
Y = np.array([[1.0], [0.0]], np.float32)


@pytest.fixture
def graph():
    with tf.Graph().as_default() as made:
        yield made
    keras.utils.clear_session()


def _model(**compiled):
    """Weights of one and no bias; compiled if arguments for that are given."""
    model = keras.Sequential(
        [keras.Input([2]), keras.layers.Dense(1, use_bias=False, kernel_initializer="ones", name="line")]
    )
    if compiled:
        model.compile(**compiled)
    return model


def _after_one_step(rate):
    """The weights behind a step by hand: the error's mean square falls along its gradient."""
    return 1.0 - rate * (X.T @ (2.0 * (X.sum(1, keepdims=True) - Y))) / 2.0


def test_fit_trains_the_variables_of_the_session(graph):
    model = _model(optimizer=keras.optimizers.SGD(0.01), loss="mse", metrics=["mae"])
    (kernel,) = [v for v in v1.trainable_variables() if v.name == "line/kernel:0"]
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        history = model.fit(X, Y, batch_size=2, epochs=1, verbose=0, validation_data=(X, Y)).history
        assert (
            sorted(history) == ["loss", "mae", "val_loss", "val_mae"]
            and history["loss"][0] == pytest.approx((4 + 49) / 2)
        )
        np.testing.assert_allclose(session.run(kernel), _after_one_step(0.01), rtol=1e-5)
        np.testing.assert_allclose(model.get_weights()[0], _after_one_step(0.01), rtol=1e-5)
        session.run(kernel.assign([[2.0], [0.0]]))
        assert (
            model.predict(X).tolist() == [[2.0], [6.0]]
            and model.evaluate(X, Y, verbose=0)[0] == pytest.approx((1 + 36) / 2)
        )


def test_a_session_trains_the_weights_of_a_model(graph):
    model = _model(loss="mse")
    x, y = v1.placeholder(tf.float32, [None, 2]), v1.placeholder(tf.float32, [None, 1])
    step = v1.train.GradientDescentOptimizer(0.01).minimize(v1.losses.mean_squared_error(y, model(x)))
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        session.run(step, {x: X, y: Y})
        np.testing.assert_allclose(model.get_weights()[0], _after_one_step(0.01), rtol=1e-5)


def test_a_session_is_chosen_or_made(graph):
    model = _model(loss="mse")
    assert model.predict(X).tolist() == [[3.0], [7.0]]  # in a session of Keras' own, initialised
    session = v1.Session()
    K.set_session(session)
    model.set_weights([np.array([[1.0], [-1.0]])])
    assert session.run(model.weights[0]._value).tolist() == [[1.0], [-1.0]]
    with v1.Session().as_default() as inner:
        assert K.get_session() is inner and model.predict(X).tolist() == [[3.0], [7.0]]
    assert K.get_session() is session and model.predict(X).tolist() == [[-1.0], [-1.0]]
    session.close()
    assert model.predict(X).tolist() == [[3.0], [7.0]]


def test_values_of_variables(graph):
    model = _model(optimizer=keras.optimizers.SGD(0.5), loss="mse")
    K.set_value(model.optimizer.learning_rate, 0.01)
    assert K.get_value(model.optimizer.learning_rate) == pytest.approx(0.01)
    model.train_on_batch(X, Y)
    (kernel,) = K.batch_get_value([model.weights[0]])
    np.testing.assert_allclose(kernel, _after_one_step(0.01), rtol=1e-5)
    assert K.get_value(tf.constant(2.0) * 3.0) == 6.0


def test_an_optimizer_of_version_1(graph):
    model = _model(optimizer=v1.train.GradientDescentOptimizer(0.01), loss="mse")
    model.fit(X, Y, batch_size=2, epochs=1, verbose=0)
    np.testing.assert_allclose(model.get_weights()[0], _after_one_step(0.01), rtol=1e-5)
    assert K.get_value(model.optimizer.iterations) == 1
    with pytest.raises(AttributeError, match="no learning rate that Keras can read or set"):
        _ = model.optimizer.learning_rate
    with pytest.raises(NotImplementedError, match="no configuration"):
        model.optimizer.get_config()


def test_the_accuracy_has_the_name_of_version_1(graph):
    model = keras.Sequential([keras.Input([2]), keras.layers.Dense(2, activation="softmax")])
    model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
    assert sorted(model.fit(X, np.array([0, 1]), verbose=0).history) == ["acc", "loss"]


def test_the_learning_phase_is_fed(graph):
    x = v1.placeholder(tf.float32, [None, 4])
    dropped = keras.layers.Dropout(0.5)(x)
    normal = keras.layers.BatchNormalization(epsilon=0.0)(x)
    ones = np.array([[1.0, 2.0, 3.0, 4.0], [3.0, 2.0, 1.0, 6.0]], np.float32)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(dropped, {x: ones}).tolist() == ones.tolist()
        assert session.run(normal, {x: ones, K.learning_phase(): 0}).tolist() == ones.tolist()
        kept = session.run(dropped, {x: ones, K.learning_phase(): 1})
        assert set((kept / ones).ravel().tolist()) <= {0.0, 2.0}
        trained = session.run(normal, {x: ones[:, [0, 2]].repeat(2, 1), K.learning_phase(): True})
        np.testing.assert_allclose(trained, [[-1, -1, 1, 1], [1, 1, -1, -1]])
        assert K.learning_phase().name == "keras_learning_phase:0"


def test_the_learning_phase_that_is_set_needs_no_feed(graph):
    try:
        K.set_learning_phase(1)
        kept = keras.layers.Dropout(0.5)(tf.ones([50]))
        assert set(v1.Session().run(kept).tolist()) == {0.0, 2.0}
    finally:
        K.set_learning_phase(0)


def test_names_are_those_of_keras_2(graph):
    x = v1.placeholder(tf.float32, [None, 2])
    out = keras.layers.Dense(1, name="second")(keras.layers.Dense(3, activation="relu", name="first")(x))
    assert [v.name for v in v1.trainable_variables()] == [
        "first/kernel:0", "first/bias:0", "second/kernel:0", "second/bias:0"
    ]
    assert out.name.startswith("second/")


def test_a_dataset_of_the_graph(graph):
    model = _model(optimizer=keras.optimizers.SGD(0.01), loss="mse")
    data = tf.data.Dataset.from_tensor_slices((X, Y)).map(lambda x, y: (x * 1.0, y)).batch(2).repeat()
    model.fit(data, steps_per_epoch=1, epochs=1, verbose=0)
    np.testing.assert_allclose(model.get_weights()[0], _after_one_step(0.01), rtol=1e-5)


@pytest.mark.parametrize("name", ["model.h5", "model.keras"])
def test_saved_and_loaded(graph, tmp_path, name):
    model = _model(optimizer="sgd", loss="mse")
    model.set_weights([np.array([[1.0], [-1.0]])])
    model.save(tmp_path / name)
    loaded = keras.models.load_model(tmp_path / name)
    assert loaded.predict(X).tolist() == [[-1.0], [-1.0]]
    model.save_weights(tmp_path / "some.weights.h5")
    model.set_weights([np.zeros([2, 1])])
    model.load_weights(tmp_path / "some.weights.h5")
    assert model.predict(X).tolist() == [[-1.0], [-1.0]]


def _drawn():
    """Weights, and what is left of ones, in a graph with a seed."""
    with tf.Graph().as_default(), v1.Session() as session:
        v1.set_random_seed(5)
        layer = keras.layers.Dense(3)
        kept = keras.layers.Dropout(0.5)(layer(tf.ones([4, 2])) * 0.0 + 1.0, training=True)
        assert len(v1.global_variables()) == 2  # none with a seed, which a checkpoint would have to hold
        session.run(v1.global_variables_initializer())
        first, second = session.run(kept), session.run(kept)
        assert (first != second).any()
        return [*layer.get_weights(), first, second]


def test_the_seed_of_the_graph_is_that_of_its_layers():
    for mine, again in zip(_drawn(), _drawn(), strict=True):
        assert mine.tolist() == again.tolist()


def test_functions_of_models_take_the_learning_phase(graph):
    x = keras.Input([4])
    dropped = keras.layers.Dropout(0.5, seed=1)(x)
    gradient = K.sqrt(K.gradients(K.sum(dropped * dropped), x)[0] + 1e-5)  # the number is a constant of the graph
    outputs = K.function([x, K.learning_phase()], [dropped, gradient])
    ones = np.ones([3, 4], np.float32)
    assert outputs([ones, 0])[0].tolist() == ones.tolist()
    assert sorted(set(outputs([ones, 1])[0].ravel())) == [0.0, 2.0]
    np.testing.assert_allclose(outputs([ones, 0])[1], np.sqrt(2.0 * ones), rtol=1e-4)


def test_functions_of_the_graphs_own_tensors(graph):
    x, count = K.placeholder(shape=(None, 2)), K.variable(3.0)
    assert x.op.type == "Placeholder" and x.shape.as_list() == [None, 2]
    step = K.function([x], [K.sum(x), K.dot(x, K.ones((2, 1)))], updates=[(count, count + 1.0), K.update_add(count, 1)])
    total, product = step([X])
    assert total == 10.0 and product.tolist() == [[3.0], [7.0]] and K.get_value(count) in (4.0, 5.0)
    assert K.eval(K.eye(2)).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    K.set_value(count, 9.0)
    assert K.get_value(count) == 9.0


def test_functions_of_models_run_updates(graph):
    model, count = _model(), K.variable(0.0)
    outputs = K.function([model.input], [model.output], updates=[K.update_add(count, 1.0)])
    assert outputs([X])[0].tolist() == [[3.0], [7.0]] and K.get_value(count) == 1.0
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(model.weights[0]).tolist() == [[1.0], [1.0]]  # a weight of Keras 3 is no variable of ours
