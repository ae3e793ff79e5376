"""Programs of Keras 2 (TensorFlow 2.0 to 2.15).

The forms that Keras 3 refuses, one test for each row of docs/keras2.md.
"""

import os

import numpy as np
import pytest

import reflow

reflow.install_as_tensorflow()

import tensorflow as tf  # noqa: E402
from tensorflow import keras  # noqa: E402

layers = keras.layers
pytestmark = pytest.mark.filterwarnings("ignore:Do not pass an `input_shape`", "ignore:.*deprecated",
                                        "ignore:`shuffle=True` was passed", "ignore:__array__ implementation")

x, y = np.random.RandomState(0).randn(12, 4).astype("float32"), np.random.RandomState(1).randn(12, 1).astype("float32")


def small(**compiled):
    model = keras.Sequential([keras.Input((4,)), layers.Dense(3), layers.Dense(1)])
    if compiled:
        model.compile(**compiled)
    return model


# --- Constructing


@pytest.mark.parametrize("function", [
    lambda t: tf.nn.relu(t), lambda t: tf.reduce_mean(t, axis=1), lambda t: tf.concat([t, t], axis=1),
    lambda t: tf.cast(t, tf.float64), lambda t: tf.square(t) + tf.exp(t), lambda t: tf.split(t, 2, axis=1)[1],
    lambda t: tf.reshape(t, [-1, 2, 2]), lambda t: tf.expand_dims(t, 1), lambda t: tf.math.l2_normalize(t, axis=1),
    lambda t: tf.matmul(t, tf.ones([4, 2])), lambda t: tf.stack([t, t]), lambda t: 2.0 * t + tf.constant(1.0),
    lambda t: tf.shape(t)[0] * 1, lambda t: tf.constant(1.0) - t, lambda t: t[:, tf.newaxis, 1:3],
])
def test_functions_of_tensorflow_on_symbolic_inputs(function):
    inputs = keras.Input((4,))
    model = keras.Model(inputs, function(inputs))
    np.testing.assert_allclose(model(x), function(tf.constant(x)), rtol=1e-6)


def test_functional_model_with_tf_functions_trains():
    inputs = keras.Input((4,))
    hidden = tf.nn.relu(layers.Dense(3)(inputs))
    model = keras.Model(inputs, tf.reduce_sum(hidden, axis=1, keepdims=True))
    model.compile("sgd", "mse")
    losses = model.fit(x, y, epochs=3, verbose=0).history["loss"]
    assert losses[-1] < losses[0]


def test_add_weight_with_the_name_first():
    class Old(layers.Layer):
        def build(self, input_shape):
            self.a = self.add_weight("a", shape=[input_shape[-1]], initializer="ones")
            self.b = self.add_weight("b")
            self.c = self.add_weight("c", (2,), tf.float32, "zeros")
            self.d = self.add_weight(name="d", shape=(), trainable=False)

        def call(self, inputs):
            return inputs * self.a

    layer = Old()
    layer(x)
    assert [w.name for w in layer.weights] == ["a", "b", "c", "d"] and layer.b.shape == () and layer.c.shape == (2,)


@pytest.mark.parametrize("make", [
    lambda: layers.Dense(3, input_shape=(4,)), lambda: layers.Dense(3, batch_input_shape=(None, 4)),
    lambda: layers.Dense(3, input_dim=4), lambda: layers.Dense(3, batch_size=12, input_shape=(4,)),
])
def test_input_shape_arguments(make):
    model = keras.Sequential([make(), layers.Dense(1)])
    assert model.built and len(model.weights) == 4 and model(x).shape == (12, 1)


def test_embedding_input_length():
    model = keras.Sequential([layers.Embedding(10, 3, input_length=5), layers.Flatten(), layers.Dense(1)])
    assert model.output_shape == (None, 1) and model(np.zeros((2, 5), "int32")).shape == (2, 1)


def test_weights_argument():
    table = np.arange(12, dtype="float32").reshape(4, 3)
    layer = layers.Embedding(4, 3, weights=[table], trainable=False)
    np.testing.assert_array_equal(layer(np.array([2]))[0], table[2])
    dense = layers.Dense(2, weights=[np.ones((4, 2)), np.zeros(2)])
    np.testing.assert_allclose(dense(x), x.sum(1, keepdims=True).repeat(2, 1), rtol=1e-5)


def test_layer_shapes():
    model = keras.Sequential([layers.Dense(3, input_shape=(4,)), layers.Dense(1)])
    assert model.layers[0].input_shape == (None, 4) and model.layers[0].output_shape == (None, 3)
    assert model.input_shape == (None, 4) and model.output_shape == (None, 1)


def test_layer_metrics_and_dynamic():
    layer = layers.Dense(2)
    assert layer.metrics == [] and layer.dynamic is False
    assert keras.layers.Layer(dynamic=False).dynamic is False


def test_reset_states():
    model = keras.Sequential([layers.LSTM(2, stateful=True, batch_input_shape=(3, 5, 4)), layers.Dense(1)])
    sequence = np.ones((3, 5, 4), "float32")
    first = model.predict(sequence, verbose=0)
    model.predict(sequence, verbose=0)
    model.reset_states()
    np.testing.assert_allclose(model.predict(sequence, verbose=0), first, rtol=1e-6)


def test_add_loss_on_symbolic_tensors():
    inputs = keras.Input((4,))
    outputs = layers.Dense(1, kernel_initializer="ones")(inputs)
    model = keras.Model(inputs, outputs)
    model.add_loss(tf.reduce_mean(tf.square(outputs)))
    model.compile("sgd")
    losses = model.fit(x, epochs=3, verbose=0).history["loss"]
    np.testing.assert_allclose(losses[0], np.mean(x.sum(1) ** 2), rtol=0.3)
    assert losses[-1] < losses[0]


def test_tf_variables_of_a_layer_are_weights():
    class Scale(layers.Layer):
        def __init__(self):
            super().__init__()
            self.scale = tf.Variable(2.0, name="scale")
            self.fixed = tf.Variable(1.0, trainable=False)
            self.parts = [tf.Variable(1.0), tf.Variable(1.0)]

        def call(self, inputs):
            return inputs * self.scale + self.fixed + self.parts[0] * self.parts[1]

    layer = Scale()
    assert len(layer.trainable_variables) == 3 and len(layer.variables) == 4
    model = keras.Sequential([layer, layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(x, y, verbose=0)
    assert len(model.trainable_variables) == 5 and float(layer.scale) != 2.0 and float(layer.fixed) == 1.0


def test_frozen_layer_freezes_its_tf_variables():
    class Scale(layers.Layer):
        def __init__(self, **options):
            super().__init__(**options)
            self.scale = tf.Variable(2.0)

        def call(self, inputs):
            return inputs * self.scale

    model = keras.Sequential([keras.Input((4,)), Scale(trainable=False), Scale(), layers.Dense(1)])
    assert len(model.trainable_weights) == 3 and len(model.non_trainable_weights) == 1
    model.compile("sgd", "mse")
    model.fit(x, y, verbose=0)
    assert float(model.layers[0].scale) == 2.0 != float(model.layers[1].scale)


def test_add_weight_getter():
    class Borrow(layers.Layer):
        def __init__(self, variable):
            super().__init__()
            self.add_weight(name="w", shape=variable.shape, getter=lambda **_: variable)

        def call(self, inputs):
            return inputs * self.weights[0]

    variable = tf.Variable(3.0)
    layer = Borrow(variable)
    assert layer.weights[0] is variable and layer.trainable_variables[0] is variable
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(x))
    np.testing.assert_allclose(tape.gradient(loss, layer.trainable_variables)[0], x.sum(), rtol=1e-5)


def test_add_loss_of_a_function():
    layer = layers.Dense(2, kernel_initializer="ones")
    layer(x)
    layer.add_loss(lambda: 0.5 * tf.reduce_sum(layer.kernel))
    assert [float(loss) for loss in layer.losses] == [4.0]
    model = keras.Sequential([keras.Input((4,)), layer])
    model.compile("sgd", "mse")
    target = model.predict(x, verbose=0)
    np.testing.assert_allclose(model.evaluate(x, target, verbose=0), 4.0, rtol=1e-6)


def test_default_compute_output_shape():
    class Twice(layers.Layer):
        def call(self, inputs):
            return tf.concat([inputs, inputs], axis=-1)

        def compute_output_shape(self, input_shape):
            return super().compute_output_shape(input_shape)

    assert keras.Sequential([keras.Input((4,)), Twice(), layers.Dense(1)]).layers[0].output_shape == (None, 8)


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
def test_locally_connected(data_format):
    images = np.random.RandomState(0).rand(2, 5, 6, 3).astype("float32")
    layer = layers.LocallyConnected2D(4, (2, 3), strides=(2, 1), activation="relu", data_format=data_format)
    first = data_format == "channels_first"
    found = layer(np.moveaxis(images, -1, 1) if first else images).numpy()
    found = np.moveaxis(found, 1, -1) if first else found
    (rows, columns), (kernel, bias) = (2, 4), (w.numpy() for w in layer.weights)
    assert kernel.shape == (rows * columns, 18, 4) and found.shape == (2, rows, columns, 4)
    for i in range(rows):
        for j in range(columns):
            window = images[:, 2 * i : 2 * i + 2, j : j + 3].reshape(2, -1)
            np.testing.assert_allclose(
                found[:, i, j], np.maximum(window @ kernel[i * columns + j] + bias[i, j], 0), rtol=1e-5
            )
    again = layers.LocallyConnected2D.from_config(layer.get_config())
    assert again.get_config() == layer.get_config()


def test_locally_connected_1d_trains_and_is_saved(tmp_path):
    model = keras.Sequential([keras.Input((4, 1)), layers.LocallyConnected1D(3, 2), layers.Flatten(), layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(x[..., None], y, verbose=0)
    model.save(tmp_path / "m.keras")
    again = keras.models.load_model(tmp_path / "m.keras")
    np.testing.assert_allclose(
        again.predict(x[..., None], verbose=0), model.predict(x[..., None], verbose=0), rtol=1e-6
    )
    with pytest.raises(ValueError, match="only 'valid'"):
        layers.LocallyConnected1D(3, 2, padding="same")


def test_backend_functions(request):
    K = keras.backend
    request.addfinalizer(lambda: K.set_learning_phase(0))
    inputs = keras.Input((4,))
    hidden = layers.Dense(3)(inputs)
    noisy = layers.Dropout(0.5)(hidden)
    run = K.function([inputs], [hidden, noisy])
    first, second = run([x])
    np.testing.assert_array_equal(first, second)
    K.set_learning_phase(1)
    first, second = run([x])
    assert K.learning_phase() == 1 and (second == 0).any() and not (first == 0).any()
    assert (
        K.in_train_phase(lambda: 1, 2) == 1 and K.in_test_phase(1, lambda: 2) == 2
        and K.in_train_phase(1, 2, training=False) == 2
    )
    assert K.placeholder((None, 3)).shape == (None, 3) and K.placeholder(ndim=2).shape == (None, None)
    with pytest.raises(ValueError, match="TensorFlow 1"):
        K.function([inputs], [hidden], updates=[1])


def test_thresholded_relu():
    np.testing.assert_array_equal(layers.ThresholdedReLU(theta=1.0)(np.array([0.5, 1.0, 2.0], "float32")), [0, 0, 2])


def test_nested_inputs():
    class Sum(keras.Model):
        def call(self, inputs):
            return inputs["a"] + inputs["pair"][0] * inputs["pair"][1]

    nested = {"a": x, "pair": (x, 2 * x)}
    np.testing.assert_allclose(Sum()(nested), x + 2 * x * x, rtol=1e-6)


def test_state_created_in_call():
    class Lazy(layers.Layer):
        def __init__(self):
            super().__init__()
            self.made = None

        def call(self, inputs):
            if self.made is None:
                self.made = self.add_weight("made", shape=(), initializer="ones")
                self.inner = layers.Dense(2)
            return self.inner(inputs) * self.made

    layer = Lazy()
    layer(x)
    assert layer(x).shape == (12, 2) and len(layer.trainable_variables) == 3


def test_experimental_names():
    assert layers.experimental.preprocessing.Rescaling is layers.Rescaling
    assert keras.experimental.CosineDecay is keras.optimizers.schedules.CosineDecay
    assert keras.layers.experimental.SyncBatchNormalization(synchronized=True)


def test_image_data_generator():
    images, labels = np.random.rand(6, 8, 8, 3), np.arange(6)
    generator = keras.preprocessing.image.ImageDataGenerator(rescale=0.5, horizontal_flip=True)
    batch, got = next(generator.flow(images, labels, batch_size=4, shuffle=False))
    assert batch.shape == (4, 8, 8, 3) and got.tolist() == [0, 1, 2, 3]


def test_scikit_learn_wrappers():
    from tensorflow.keras.wrappers.scikit_learn import KerasClassifier, KerasRegressor

    def classifier(units=4):
        model = keras.Sequential([keras.Input((4,)), layers.Dense(units, "relu"), layers.Dense(2, "softmax")])
        model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
        return model

    labels = (x[:, 0] > 0).astype(int)
    wrapped = KerasClassifier(build_fn=classifier, units=5, epochs=2, verbose=0)
    wrapped.fit(x, labels)
    assert wrapped.predict(x).shape == (12,) and wrapped.predict_proba(x).shape == (12, 2)
    assert 0 <= wrapped.score(x, labels) <= 1 and wrapped.get_params()["units"] == 5
    regressor = KerasRegressor(lambda: small(optimizer="sgd", loss="mse"), epochs=1, verbose=0)
    regressor.fit(x, y)
    assert regressor.predict(x).shape == (12,)


def test_a_model_as_an_estimator(tmp_path):
    x = np.linspace(-1.0, 1.0, 8).astype("float32")[:, None]

    def data():
        return tf.data.Dataset.from_tensor_slices((x, 2.0 * x)).batch(4).repeat(20)

    model = keras.Sequential([keras.Input([1]), keras.layers.Dense(1, kernel_initializer="zeros", name="line")])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    estimator = keras.estimator.model_to_estimator(model, model_dir=str(tmp_path)).train(data, steps=5)
    again = keras.estimator.model_to_estimator(model, model_dir=str(tmp_path)).train(data, max_steps=40)
    assert (
        estimator.latest_checkpoint() == again.latest_checkpoint()
        and again.latest_checkpoint().endswith("model.ckpt-40")
    )
    result = again.evaluate(data, steps=2)
    assert result["global_step"] == 40 and result["loss"] < 0.05 and (tmp_path / "eval").is_dir()
    assert next(again.predict(data)).keys() == {"line"} and model.get_weights()[0].item() == 0.0
    with pytest.raises(ValueError, match="has not been compiled"):
        keras.estimator.model_to_estimator(keras.Sequential([keras.Input([1]), keras.layers.Dense(1)]))


def test_an_estimator_of_a_model_is_exported(tmp_path):
    model = keras.Sequential(
        [keras.Input([2], name="x"), keras.layers.Dense(1, kernel_initializer="zeros", name="line")]
    )
    model.compile(keras.optimizers.SGD(0.1), "mse")
    estimator = keras.estimator.model_to_estimator(model, model_dir=str(tmp_path / "model"))
    spec = {"x": tf.io.FixedLenFeature([2], tf.float32)}
    receiver_fn = tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
    with pytest.raises(ValueError, match="Could not find trained model"):
        estimator.export_saved_model(str(tmp_path / "out"), receiver_fn)
    with pytest.raises(KeyError, match="does not have the expected inputs keys"):
        estimator.train(lambda: ({"y": np.ones([4, 2], "f")}, np.zeros([4, 1], "f")), steps=1)
    estimator.train(lambda: ({"x": np.ones([4, 2], "f")}, np.full([4, 1], 5.0, "f")), steps=3)
    (tmp_path / "words.txt").write_text("a")
    folder = estimator.export_saved_model(
        str(tmp_path / "out"), receiver_fn, {"words": str(tmp_path / "words.txt")}
    ).decode()
    feature = tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 1.0]))
    example = tf.train.Example(features=tf.train.Features(feature={"x": feature})).SerializeToString()
    served = tf.saved_model.load(folder).signatures["serving_default"](examples=tf.constant([example]))
    np.testing.assert_allclose(served["line"], [next(estimator.predict(lambda: {"x": np.ones([1, 2], "f")}))["line"]])
    assert served["line"].numpy().item() != 0.0 and os.listdir(os.path.join(folder, "assets.extra")) == ["words"]


# --- Training


def test_tape_on_model_variables():
    model, optimizer = small(), keras.optimizers.SGD(0.1)
    extra = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        tape.watch(model.trainable_variables)
        loss = tf.reduce_mean(tf.square(model(x) - y)) * extra
    gradients = tape.gradient(loss, [*model.variables, extra])
    assert len(gradients) == 5 and all(g is not None for g in gradients)
    optimizer.apply_gradients(zip(gradients, [*model.variables, extra], strict=True))
    assert float(extra) != 1.0 and int(optimizer.iterations) == 1


def test_functions_of_model_variables():
    target, source = small(), small()

    @tf.function
    def follow(target_weights, weights, tau):
        for mine, theirs in zip(target_weights, weights, strict=True):
            mine.assign(theirs * tau + mine * (1 - tau))

    before = target.get_weights()
    follow(target.variables, source.variables, 0.25)
    expected = [0.75 * a + 0.25 * b for a, b in zip(before, source.get_weights(), strict=True)]
    np.testing.assert_allclose(target.get_weights()[0], expected[0], rtol=1e-6)
    with tf.GradientTape() as tape:
        loss = tf.function(lambda w: tf.reduce_sum(w * 3.0))(source.trainable_variables[0])
    assert np.all(tape.gradient(loss, source.trainable_variables[0]).numpy() == 3.0)


def test_json_of_a_model_with_a_loss_of_its_own():
    def distance(truth, guess):
        return tf.reduce_mean(tf.abs(truth - guess))

    model = small()
    model.compile("sgd", distance)
    text = model.to_json()
    again = keras.models.model_from_json(text)
    assert again.count_params() == model.count_params() and not again.compiled
    model.compile("sgd", "mse")
    assert keras.models.model_from_json(model.to_json()).compiled
    with pytest.raises((TypeError, ValueError), match="Nothing"):
        keras.models.model_from_json(text.replace('"Dense"', '"Nothing"').replace('"keras.layers"', '"none"'))


def test_lr_and_decay():
    optimizer = keras.optimizers.SGD(lr=0.5, decay=0.1)
    assert float(optimizer.lr) == 0.5
    optimizer.lr = 0.25
    assert float(optimizer.learning_rate) == 0.25
    variable = tf.Variable(1.0)
    old = keras.optimizers.SGD(lr=1.0, decay=1.0)
    for _ in range(2):
        old.apply_gradients([(tf.constant(1.0), variable)])
    np.testing.assert_allclose(float(variable), 1.0 - 1.0 - 0.5, rtol=1e-6)  # lr / (1 + decay * iterations)


def test_optimizer_weights():
    model = small(optimizer="adam", loss="mse")
    model.fit(x, y, verbose=0)
    weights = model.optimizer.get_weights()
    assert len(weights) == 9 and int(weights[0]) == 1
    model.optimizer.set_weights(weights)


def test_a_variable_that_is_named_again_takes_one_step():
    class Scaled(keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.scale = tf.Variable(2.0)

        def call(self, inputs):
            return inputs * self.scale

    layer, optimizer = Scaled(), keras.optimizers.SGD(0.5)
    variables = layer.trainable_variables + [layer.scale]  # as programs of Keras 3 write, where the first list is empty
    with tf.GradientTape() as tape:
        loss = layer(tf.constant([3.0]))
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    assert float(layer.scale) == 0.5


def test_minimize():
    variable, optimizer = tf.Variable(3.0), keras.optimizers.SGD(0.1)
    for _ in range(2):
        optimizer.minimize(lambda: variable**2, [variable])
    np.testing.assert_allclose(float(variable), 3.0 * 0.8**2, rtol=1e-6)
    with tf.GradientTape() as tape:
        loss = variable**2
    optimizer.minimize(loss, var_list=[variable], tape=tape)
    np.testing.assert_allclose(float(variable), 3.0 * 0.8**3, rtol=1e-6)


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad", "Adadelta", "Adamax", "Nadam", "Ftrl"])
def test_legacy_optimizers(name):
    model = small(optimizer=getattr(keras.optimizers.legacy, name)(learning_rate=0.01), loss="mse")
    assert np.isfinite(model.fit(x, y, verbose=0).history["loss"]).all()


def test_optimizers_at_the_top():
    assert tf.optimizers.Adam is keras.optimizers.Adam and tf.losses.MeanSquaredError is keras.losses.MeanSquaredError
    assert tf.metrics.Mean is keras.metrics.Mean and tf.initializers.GlorotUniform is keras.initializers.GlorotUniform


def test_fit_arguments_of_workers():
    model = small(optimizer="sgd", loss="mse")
    old = {"workers": 2, "use_multiprocessing": False, "max_queue_size": 4}
    model.fit(x, y, verbose=0, **old)
    model.evaluate(x, y, verbose=0, **old)
    assert model.predict(x, verbose=0, **old).shape == (12, 1)

    class Batches(keras.utils.PyDataset):
        def __len__(self):
            return 3

        def __getitem__(self, index):
            return x[index * 4 : index * 4 + 4], y[index * 4 : index * 4 + 4]

    batches = Batches()
    model.fit(batches, verbose=0, **old)
    assert (batches.workers, batches.max_queue_size) == (2, 4)


def test_generator_methods():
    model = small(optimizer="sgd", loss="mse")

    def batches():
        while True:
            yield x[:4], y[:4]

    history = model.fit_generator(batches(), steps_per_epoch=2, epochs=2, verbose=0, workers=1)
    assert len(history.history["loss"]) == 2
    assert np.isfinite(model.evaluate_generator(batches(), steps=2))
    assert model.predict_generator(batches(), steps=2).shape == (8, 1)


def test_predict_classes():
    model = keras.Sequential([keras.Input((4,)), layers.Dense(3, "softmax")])
    np.testing.assert_array_equal(model.predict_classes(x), model.predict(x, verbose=0).argmax(-1))
    np.testing.assert_array_equal(model.predict_proba(x), model.predict(x, verbose=0))
    binary = keras.Sequential([keras.Input((4,)), layers.Dense(1, "sigmoid")])
    np.testing.assert_array_equal(binary.predict_classes(x), (binary.predict(x, verbose=0) > 0.5).astype("int32"))


def test_autograph_in_call():
    class Branch(keras.Model):
        def call(self, inputs):
            if tf.reduce_sum(inputs) > 0:
                out = inputs
            else:
                out = -inputs
            for _ in tf.range(2):
                out = out + 1.0
            return out

    model = Branch()
    model.compile("sgd", "mse")
    np.testing.assert_allclose(model.predict(np.array([[-3.0]]), verbose=0), [[5.0]])
    np.testing.assert_allclose(model.predict(np.array([[3.0]]), verbose=0), [[5.0]])


def test_metric_functions_that_fail_on_lists_get_numbers():
    metric = keras.metrics.Poisson()
    metric.update_state([[0, 1], [0, 0]], [[1, 1], [0, 0]])
    assert round(float(metric.result()), 3) == 0.5
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        keras.metrics.Accuracy().update_state([1, 2], [1, 2, 3])


def test_metrics_names():
    model = small(optimizer="sgd", loss="mse", metrics=["mae", keras.metrics.RootMeanSquaredError(name="rmse")])
    got = model.evaluate(x, y, verbose=0)
    assert model.metrics_names == ["loss", "mae", "rmse"] and len(got) == 3
    np.testing.assert_allclose(got[2] ** 2, got[0], rtol=1e-4)
    model.train_on_batch(x, y)
    assert dict(zip(model.metrics_names, model.test_on_batch(x, y, reset_metrics=True), strict=True))["mae"] > 0


def test_losses_of_each_output():
    inputs = keras.Input((4,))
    model = keras.Model(inputs, [layers.Dense(1, name="a")(inputs), layers.Dense(1, name="b")(inputs)])
    model.compile("sgd", ["mse", "mae"], metrics={"a": "mae"})
    got = model.evaluate(x, [y, y], verbose=0)
    assert model.metrics_names == ["loss", "a_loss", "b_loss", "a_mae"]
    np.testing.assert_allclose(got[0], got[1] + got[2], rtol=1e-4)
    assert len(model.train_on_batch(x, [y, y])) == 4


def test_deferred_restoring(tmp_path):
    class Mlp(keras.Model):
        def __init__(self):
            super().__init__()
            self.a, self.b = layers.Dense(3), layers.Dense(1)

        def call(self, inputs):
            return self.b(self.a(inputs))

    first = Mlp()
    expected = first(x)
    path = tf.train.Checkpoint(model=first).save(str(tmp_path / "c"))
    for use in (lambda m: m(x), lambda m: m.predict(x, verbose=0)):
        second = Mlp()
        tf.train.Checkpoint(model=second).restore(path)
        np.testing.assert_allclose(use(second), expected, rtol=1e-5)


def test_a_first_layer_of_strings_has_strings_as_input():
    class Lengths(tf.keras.layers.Layer):
        def call(self, texts):
            return tf.cast(tf.strings.length(texts), tf.float32)

        def compute_output_shape(self, shape):
            return shape

    with pytest.warns(UserWarning, match="input_shape"):
        model = tf.keras.Sequential([Lengths(input_shape=[], dtype=tf.string)])
    assert model.inputs[0].dtype == "string"
    assert model(tf.constant(["a", "abc"])).numpy().tolist() == [1.0, 3.0]
