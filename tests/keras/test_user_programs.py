"""Programs as people have them: from books, courses, kernels and repositories of 2016 to 2025, made small.

Each is written in the style of its time, mostly Keras 2's; numbers were compared with Keras 2.21 (`tf_keras`) where
they are given.
"""

import importlib
import linecache
import os

import numpy as np
import pytest

import reflow
from reflow.drop_in import names

reflow.install_as_tensorflow()

import tensorflow as tf  # noqa: E402
import tensorflow.keras.backend as K  # noqa: E402, N812
from tensorflow import keras  # noqa: E402

layers = keras.layers
pytestmark = pytest.mark.filterwarnings(
    "ignore:Do not pass an `input_shape`", "ignore:.*deprecated", "ignore:.*legacy", "ignore:`shuffle=True` was passed",
    "ignore:__array__ implementation", "ignore:Gradients do not exist", "ignore:.*is not a valid HDF5")

rng = np.random.RandomState(0)
X, Y = rng.rand(16, 4).astype("float32"), rng.rand(16, 1).astype("float32")


def mlp(loss="mse", outputs=1, **compiled):
    model = keras.models.Sequential([layers.Dense(5, activation="relu", input_dim=4), layers.Dense(outputs)])
    model.compile(loss=loss, optimizer="sgd", **compiled)
    return model


# --- training loops


def test_quickstart_resets_its_metrics():
    loss, accuracy = keras.metrics.Mean(name="train_loss"), keras.metrics.SparseCategoricalAccuracy()
    loss(3.0)
    accuracy([1], [[0.0, 1.0]])
    assert float(loss.result()) == 3 and float(accuracy.result()) == 1
    loss.reset_states()
    accuracy.reset_states()
    assert float(loss.result()) == 0 and len(loss.weights) == 2 and loss.get_weights()[0] == 0


def test_compile_in_the_old_order():
    model = mlp()
    model.compile("adam", "mse", ["mae"])
    assert sorted(model.fit(X, Y, verbose=0).history) == ["loss", "mae"]
    model.compile("adam", "mse", metrics=keras.metrics.MeanAbsoluteError(), sample_weight_mode=None)
    assert "mean_absolute_error" in model.evaluate(X, Y, verbose=0, return_dict=True)


def test_kaggle_metric_functions_of_integer_and_boolean_labels():
    def recall(y_true, y_pred):
        found = K.sum(K.round(K.clip(y_true * y_pred, 0, 1)))
        return found / (K.sum(K.round(K.clip(y_true, 0, 1))) + K.epsilon())

    def auc(y_true, y_pred):
        return tf.py_function(lambda a, b: np.float32(0.25), (y_true, y_pred), tf.float32)

    model = mlp("binary_crossentropy", metrics=[recall, auc])
    for labels in (rng.randint(0, 2, (16, 1)), rng.randint(0, 2, (16, 1)) > 0):
        found = model.evaluate(X, labels, verbose=0, return_dict=True)
        assert 0 <= found["recall"] <= 1 and found["auc"] == 0.25


def test_train_step_of_the_guide():
    class Custom(keras.Model):
        def train_step(self, data):
            x, y, weights = data
            with tf.GradientTape() as tape:
                y_pred = self(x, training=True)
                loss = self.compiled_loss(y, y_pred, sample_weight=weights, regularization_losses=self.losses)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
            self.compiled_metrics.update_state(y, y_pred, sample_weight=weights)
            return {m.name: m.result() for m in self.metrics}

    random = np.random.RandomState(0)
    inputs = keras.Input(shape=(8,))
    model = Custom(inputs, layers.Dense(1, kernel_regularizer="l2")(inputs))
    model.set_weights([random.randn(8, 1), np.zeros(1)])
    model.compile(optimizer="sgd", loss="mse", metrics=["mae"])
    x, y, weights = random.rand(64, 8), random.rand(64, 1), random.rand(64, 1)
    history = model.fit(x, y, sample_weight=weights, epochs=3, verbose=0, shuffle=False).history
    np.testing.assert_allclose(history["loss"], [5.1671, 4.6264, 4.1477], rtol=1e-4)
    np.testing.assert_allclose(history["mae"], [3.0262, 2.8456, 2.6769], rtol=1e-4)


def test_mixed_precision_loop():
    optimizer = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.SGD(0.5))
    v = tf.Variable([2.0, 4.0])
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v)
            scaled = optimizer.get_scaled_loss(loss)
        assert float(scaled) == float(loss) * float(optimizer.loss_scale)
        gradients = optimizer.get_unscaled_gradients(tape.gradient(scaled, [v]))
        np.testing.assert_allclose(gradients[0], 2 * v.numpy())
        optimizer.apply_gradients(zip([0.5 * g for g in gradients], [v]))
    np.testing.assert_allclose(v, [0.5, 1.0])


def test_optimizers_of_ones_own():
    class Momentum(keras.optimizers.Optimizer):
        def __init__(self, learning_rate=0.5, momentum=0.9, name="Momentum", **kwargs):
            super().__init__(name, **kwargs)
            self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
            self._set_hyper("decay", self._initial_decay)
            self._set_hyper("momentum", momentum)

        def _create_slots(self, var_list):
            for var in var_list:
                self.add_slot(var, "momentum")

        @tf.function
        def _resource_apply_dense(self, grad, var):
            rate, momentum = self._decayed_lr(var.dtype.base_dtype), self.get_slot(var, "momentum")
            momentum.assign(momentum * self._get_hyper("momentum", var.dtype) - 0.5 * grad)
            var.assign_add(momentum * rate)

        def get_config(self):
            return {**super().get_config(), "momentum": self._serialize_hyperparameter("momentum")}

    class Plain(keras.optimizers.Optimizer):
        def __init__(self, learning_rate=0.5, name="Plain", **kwargs):
            super().__init__(name=name, **kwargs)
            self._learning_rate = self._build_learning_rate(learning_rate)

        def build(self, var_list):
            super().build(var_list)
            self.steps = [self.add_variable_from_reference(model_variable=v, variable_name="s") for v in var_list]

        def update_step(self, gradient, variable):
            variable.assign_add(-gradient * tf.cast(self.learning_rate, variable.dtype))

    for optimizer, expected in ((Momentum(), [2.0, 1.0, -0.4]), (Plain(), [2.0, 0.0, 0.0])):
        v, seen = keras.Variable(2.0), [2.0]
        for _ in range(2):
            optimizer.apply_gradients([(2 * v, v)])
            seen.append(float(v))
        np.testing.assert_allclose(seen, expected, rtol=1e-5, atol=1e-6)
    assert Momentum().get_config()["momentum"] == 0.9


def test_gan_with_a_frozen_discriminator():
    noise, size = 3, (2, 2, 1)
    generator = keras.Sequential([layers.Dense(4, input_dim=noise), layers.LeakyReLU(alpha=0.2),
                                  layers.Dense(np.prod(size), activation="tanh"), layers.Reshape(size)])
    discriminator = keras.Sequential([layers.Flatten(input_shape=size), layers.Dense(1, activation="sigmoid")])
    optimizer = keras.optimizers.Adam(0.0002, 0.5)
    discriminator.compile(loss="binary_crossentropy", optimizer=optimizer, metrics=["accuracy"])
    z = layers.Input(shape=(noise,))
    discriminator.trainable = False
    combined = keras.Model(z, discriminator(generator(z)))
    combined.compile(loss="binary_crossentropy", optimizer=optimizer)
    before, drawn = discriminator.get_weights()[0], generator.get_weights()[0]
    combined.train_on_batch(np.ones((4, noise)), np.ones((4, 1)))
    assert (discriminator.get_weights()[0] == before).all() and not (generator.get_weights()[0] == drawn).all()
    images = generator.predict(np.ones((4, noise)), verbose=0)
    assert len(0.5 * np.add(discriminator.train_on_batch(images, np.zeros((4, 1))), 1)) == 2
    assert not (discriminator.get_weights()[0] == before).all() and not discriminator.trainable


def test_vae_with_losses_and_metrics_on_tensors():
    def sampling(args):
        mean, log_var = args
        return mean + K.exp(0.5 * log_var) * K.random_normal(shape=(K.shape(mean)[0], K.int_shape(mean)[1]))

    inputs = layers.Input(shape=(6,))
    hidden = layers.Dense(4, activation="relu")(inputs)
    mean, log_var = layers.Dense(2)(hidden), layers.Dense(2)(hidden)
    z = layers.Lambda(sampling, output_shape=(2,))([mean, log_var])
    outputs = layers.Dense(6, activation="sigmoid")(z)
    vae = keras.Model(inputs, outputs)
    reconstruction = keras.losses.binary_crossentropy(inputs, outputs)
    reconstruction *= 6
    kl = -0.5 * K.sum(1 + log_var - K.square(mean) - K.exp(log_var), axis=-1)
    vae.add_loss(K.mean(reconstruction + kl))
    vae.add_metric(kl, name="kl", aggregation="mean")
    vae.compile(optimizer="adam")
    x = rng.rand(8, 6).astype("float32")
    history = vae.fit(x, epochs=2, validation_data=(x, None), verbose=0).history
    assert sorted(history) == ["kl", "loss", "val_kl", "val_loss"] and np.isfinite(history["kl"]).all()


def test_layer_that_adds_a_loss_and_a_metric():
    class Endpoint(layers.Layer):
        def __init__(self, name=None):
            super().__init__(name=name)
            self.accuracy_fn = keras.metrics.BinaryAccuracy(name="accuracy")

        def call(self, targets, logits):
            self.add_loss(tf.reduce_mean(keras.losses.binary_crossentropy(targets, logits, from_logits=True)))
            self.add_metric(self.accuracy_fn(targets, logits), name="accuracy")
            self.add_metric(tf.reduce_sum(logits), name="total")
            return tf.nn.softmax(logits)

    layer = Endpoint()
    layer(tf.ones((2, 2)), tf.ones((2, 2)))
    assert {m.name: float(m.result()) for m in layer.metrics} == {"accuracy": 1.0, "total": 4.0}
    inputs, targets = keras.Input((3,)), keras.Input((2,))
    model = keras.Model([inputs, targets], Endpoint(name="predictions")(targets, layers.Dense(2)(inputs)))
    model.compile(optimizer="adam")
    assert sorted(model.fit([np.ones((4, 3)), np.ones((4, 2))], verbose=0).history) == ["accuracy", "loss", "total"]


# --- several outputs


def two_outputs():
    inputs = keras.Input((4,))
    return keras.Model(inputs, [layers.Dense(1, name="a")(inputs), layers.Dense(1, name="b")(inputs)])


@pytest.mark.parametrize("compiled, keys", [
    (dict(loss="mse", loss_weights=[0.9, 0.1]), 3),
    (dict(loss="mse", metrics=["mae", "mse", "mape"]), 9),
    (dict(loss={"a": "mse"}), 1),
    (dict(loss={"a": "mse", "b": "mae"}, loss_weights={"a": 2.0}), 3),
])
def test_losses_of_several_outputs(compiled, keys):
    model = two_outputs()
    model.compile("sgd", **compiled)
    labels = {"a": Y} if compiled["loss"] == {"a": "mse"} else {"a": Y, "b": Y}
    found = model.evaluate(X, labels, verbose=0, return_dict=True)
    assert len(found) == keys
    a, b = (np.mean((p - Y) ** 2) for p in model.predict(X, verbose=0))
    if "loss_weights" in compiled and compiled["loss"] == "mse":
        np.testing.assert_allclose(found["loss"], 0.9 * a + 0.1 * b, rtol=1e-5)


def test_weights_of_samples_by_output_and_the_only_output_by_name():
    model = two_outputs()
    model.compile("sgd", "mse")
    weights = {"a": np.zeros(16), "b": np.ones(16)}
    loss = model.evaluate(X, {"a": Y, "b": Y}, sample_weight=weights, verbose=0)[0]
    np.testing.assert_allclose(loss, np.mean((model.predict(X, verbose=0)[1] - Y) ** 2), rtol=1e-5)
    inputs = keras.Input((4,))
    single = keras.Model(inputs, layers.Dense(1, name="ctc")(inputs))
    single.compile("sgd", loss={"ctc": lambda y_true, y_pred: y_pred})
    assert np.isfinite(single.evaluate(X, {"ctc": np.zeros(16)}, verbose=0))


# --- callbacks


def test_hooks_by_position_and_the_history_of_the_learning_rate():
    class Rates(keras.callbacks.Callback):
        def __init__(self):
            self.rates = []

        def on_batch_end(self, batch, log):
            self.rates.append(K.get_value(self.model.optimizer.lr))
            K.set_value(self.model.optimizer.lr, self.model.optimizer.lr * 1.1)

    seen, rates = [], Rates()
    model = mlp()
    model.compile(keras.optimizers.SGD(lr=0.001), "mse")
    batches = keras.callbacks.LambdaCallback(on_batch_end=lambda b, l: seen.append(b))
    model.fit(X, Y, batch_size=8, verbose=0, callbacks=[rates, batches])
    assert seen == [0, 1]
    np.testing.assert_allclose(rates.rates, [0.001, 0.0011], rtol=1e-5)
    schedule = keras.callbacks.LearningRateScheduler(lambda epoch: 0.01 * 0.1 ** epoch)
    history = model.fit(X, Y, epochs=2, verbose=0, callbacks=[schedule]).history
    np.testing.assert_allclose(history["lr"], [0.01, 0.001], rtol=1e-5)
    with pytest.raises(KeyError):
        history["nothing"]


def test_checkpoints_of_the_save_and_load_tutorial(tmp_path):
    model, path = mlp(), str(tmp_path / "training" / "cp-{epoch:04d}.ckpt")
    checkpoint = keras.callbacks.ModelCheckpoint(filepath=path, save_weights_only=True, verbose=0, period=2)
    model.fit(X, Y, epochs=4, verbose=0, callbacks=[checkpoint])
    latest = tf.train.latest_checkpoint(os.path.dirname(path))
    assert latest.endswith("cp-0004.ckpt") and not os.path.exists(path.format(epoch=3) + ".index")
    other = mlp()
    other.load_weights(latest)
    np.testing.assert_array_equal(other.get_weights()[0], model.get_weights()[0])
    (tmp_path / "empty").mkdir()
    tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(tmp_path / "empty" / "other"))
    with pytest.raises(AssertionError):
        model.load_weights(str(tmp_path / "empty" / "other"))


def test_checkpoint_callback_with_a_folder_and_h5(tmp_path):
    model = mlp()
    names = [str(tmp_path / "best.h5"), str(tmp_path / "folder")]
    model.fit(
        X, Y, verbose=0,
        callbacks=[keras.callbacks.ModelCheckpoint(n, monitor="loss", save_best_only=True) for n in names],
    )
    for name in names:
        np.testing.assert_allclose(
            keras.models.load_model(name).predict(X, verbose=0), model.predict(X, verbose=0), rtol=1e-6
        )


# --- saving


def test_formats_of_save(tmp_path):
    model = mlp(metrics=["mae"])
    model.fit(X, Y, verbose=0)
    model.save(tmp_path / "m.h5")  # Keras 3.15 would lose the optimizer of the next file here
    model.save(tmp_path / "m.keras")
    model.save(str(tmp_path / "plain"), save_format="h5")
    model.save(str(tmp_path / "saved"), save_format="tf", include_optimizer=True)
    expected = model.evaluate(X, Y, verbose=0)
    for name in ("m.h5", "m.keras", "saved"):
        loaded = keras.models.load_model(str(tmp_path / name))
        assert type(loaded.optimizer).__name__ == "SGD"
        np.testing.assert_allclose(loaded.evaluate(X, Y, verbose=0), expected, rtol=1e-6)
    signature = tf.saved_model.load(str(tmp_path / "saved")).signatures["serving_default"]
    np.testing.assert_allclose(next(iter(signature(tf.constant(X)).values())), model(X), rtol=1e-6)


def test_saved_folder_of_a_class_that_is_gone(tmp_path):
    class Twice(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(2)

        def call(self, x):
            return 2 * self.dense(x)

    model = Twice()
    expected = model.predict(X, verbose=0)
    model.save(str(tmp_path / "model"))
    np.testing.assert_allclose(
        keras.models.load_model(str(tmp_path / "model")).predict(X, verbose=0), expected, rtol=1e-6
    )


def test_saved_folder_with_signatures(tmp_path, monkeypatch):
    model, path = mlp(), str(tmp_path / "model")

    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32, name="features")])
    def serve(features):
        return {"doubled": 2 * model(features)}

    keras.models.save_model(model, path, signatures={"serving_default": serve})
    signature = tf.saved_model.load(path).signatures["serving_default"]
    np.testing.assert_allclose(signature(features=tf.constant(X))["doubled"], 2 * model(X), rtol=1e-6)
    np.testing.assert_allclose(keras.models.load_model(path).predict(X, verbose=0), model(X), rtol=1e-6)

    monkeypatch.setattr("builtins.input", lambda _: "n")
    written = os.path.getmtime(os.path.join(path, "saved_model.pb"))
    model.save(path, overwrite=False)
    assert os.path.getmtime(os.path.join(path, "saved_model.pb")) == written


def test_weights_in_h5_files(tmp_path):
    model, other, path = mlp(), mlp(), str(tmp_path / "weights.h5")
    model.save_weights(path)
    other.load_weights(path)
    np.testing.assert_array_equal(other.get_weights()[0], model.get_weights()[0])
    with pytest.raises(ValueError, match="have not yet been created"):
        keras.Sequential([layers.Dense(1)]).save_weights(path)


def test_many_custom_parts(tmp_path):
    class HuberMetric(keras.metrics.Metric):
        def __init__(self, threshold=1.0, name="huber", dtype=None, **kwargs):
            super().__init__(name=name, dtype=dtype)
            self.threshold = threshold
            self.total = self.add_weight("total", initializer="zeros")
            self.count = self.add_weight(name="count", initializer="zeros")

        def update_state(self, y_true, y_pred, sample_weight=None):
            self.total.assign_add(tf.reduce_sum(tf.abs(y_true - y_pred)))
            self.count.assign_add(tf.cast(tf.size(y_true), tf.float32))

        def result(self):
            return self.total / self.count

        def get_config(self):
            return {**super().get_config(), "threshold": self.threshold}

    def my_softplus(z):
        return tf.math.log(tf.exp(z) + 1.0)

    class MyDense(layers.Layer):
        def __init__(self, units, activation=None, **kwargs):
            super().__init__(**kwargs)
            self.units, self.activation = units, keras.activations.get(activation)

        def build(self, batch_input_shape):
            self.kernel = self.add_weight(name="kernel", shape=[batch_input_shape.as_list()[-1], self.units])
            super().build(batch_input_shape)

        def call(self, x):
            return self.activation(x @ self.kernel)

        def compute_output_shape(self, batch_input_shape):
            return tf.TensorShape(batch_input_shape.as_list()[:-1] + [self.units])

        def get_config(self):
            return {
                **super().get_config(), "units": self.units, "activation": keras.activations.serialize(self.activation)
            }

    model = keras.Sequential([MyDense(3, activation="relu", input_shape=[4]), layers.Dense(1, activation=my_softplus)])
    model.compile("sgd", "mse", metrics=[HuberMetric(2.0), "mae"])
    model.fit(X, Y, verbose=0)
    path, objects = str(tmp_path / "m.h5"), {"HuberMetric": HuberMetric, "MyDense": MyDense, "my_softplus": my_softplus}
    model.save(path)
    loaded = keras.models.load_model(path, custom_objects=objects)
    np.testing.assert_allclose(loaded.evaluate(X, Y, verbose=0), model.evaluate(X, Y, verbose=0), rtol=1e-5)


# --- layers and calls


def test_positional_and_required_training():
    class Block(layers.Layer):
        def __init__(self):
            super().__init__()
            self.dropout, self.supports_masking = layers.Dropout(0.5), True

        def call(self, x, training, mask):
            assert mask is None or mask.shape == (1,)
            return self.dropout(x, training=training)

    block, x = Block(), tf.ones((50, 4))
    zeros = [np.sum(block(*arguments) == 0) for arguments in ((x, True, None), (x, False, tf.ones(1)), (x,))]
    assert zeros[0] and zeros[1:] == [0, 0]
    inputs = keras.Input((4,))
    model = keras.Model(inputs, Block()(inputs))
    assert np.sum(model(tf.identity(x), training=True) == 0) and not np.sum(model(tf.identity(x)) == 0)


def test_attention_of_the_kernels():
    class Attention(layers.Layer):
        def __init__(self, step_dim, **kwargs):
            self.supports_masking = True
            self.step_dim, self.features_dim = step_dim, 0
            super().__init__(**kwargs)

        def build(self, input_shape):
            assert len(input_shape) == 3
            self.W = self.add_weight((input_shape[-1],), initializer="ones", name=f"{self.name}_W")
            self.b = self.add_variable("b", shape=[int(input_shape[1])], initializer="zero")
            self.features_dim = input_shape[-1]
            self.built = True

        def compute_mask(self, input, input_mask=None):
            return None

        def call(self, x, mask=None):
            e = K.reshape(K.dot(K.reshape(x, (-1, self.features_dim)), K.reshape(self.W, (-1, 1))), (-1, self.step_dim))
            a = K.exp(K.tanh(e + self.b))
            if mask is not None:
                a *= K.cast(mask, K.floatx())
            a /= K.cast(K.sum(a, axis=1, keepdims=True) + K.epsilon(), K.floatx())
            return K.sum(x * K.expand_dims(a), axis=1)

        def compute_output_shape(self, input_shape):
            return input_shape[0], self.features_dim

    inputs = layers.Input(shape=(5,))
    x = layers.Embedding(9, 3, weights=[np.ones((9, 3))], mask_zero=True)(inputs)
    model = keras.Model(inputs, Attention(5)(x))
    np.testing.assert_allclose(model(np.array([[1, 2, 0, 0, 0]])), np.ones((1, 3)), rtol=1e-5)


def test_cells_of_ones_own():
    class Cell(layers.Layer):
        def __init__(self, units, **kwargs):
            super().__init__(**kwargs)
            self.state_size = self.output_size = units
            self.inner = layers.SimpleRNNCell(units, activation=None)

        def build(self, input_shape):
            self.inner.build(input_shape)

        def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
            if inputs is not None:
                batch_size, dtype = tf.shape(inputs)[0], inputs.dtype
            return [tf.zeros([batch_size, self.state_size], dtype=dtype)]

        def call(self, inputs, states):
            outputs, _ = self.inner(inputs, states)
            return tf.tanh(outputs), [tf.tanh(outputs)]

    class Counter(layers.AbstractRNNCell):
        state_size = output_size = 1

        def call(self, inputs, states):
            return states[0] + inputs, [states[0] + inputs]

    model = keras.Sequential(
        [layers.RNN(Cell(3), return_sequences=True, input_shape=[None, 1]), layers.TimeDistributed(layers.Dense(2))]
    )
    assert model(tf.ones((2, 4, 1))).shape == (2, 4, 2)
    np.testing.assert_allclose(layers.RNN(Counter())(tf.ones((2, 4, 1))), [[4.0], [4.0]])


def test_unknown_number_of_time_steps():
    layer = layers.TimeDistributed(layers.Dense(2))
    x = rng.rand(6, 3, 4).astype("float32")
    expected = layer(x)
    call = tf.function(lambda t: layer(t), input_signature=[tf.TensorSpec([None, None, 4])])
    np.testing.assert_allclose(call(x), expected, rtol=1e-5)


def test_symbolic_shapes_and_dtypes():
    x = keras.Input((3, 5))
    assert x.get_shape().as_list() == [None, 3, 5] == x.shape.as_list() and x.shape.ndims == 3
    assert x.dtype.is_floating and x.dtype.name == "float32" and x.dtype == tf.float32 and x.dtype == "float32"
    assert x.shape[1:] + [2] == (3, 5, 2) and x.shape == [None, 3, 5] and isinstance(x.shape, tuple)
    assert layers.Reshape(x.shape[1:].concatenate([1]).as_list())(x).shape == (None, 3, 5, 1)
    assert not (2 * x).sparse
    dense = layers.Dense(2)
    dense.build((None, 3))
    assert dense.kernel.dtype.as_numpy_dtype is np.float32 and K.count_params(dense.kernel) == 6
    assert tf.shape(x)[1:].shape == (2,)


@pytest.mark.parametrize("function", [
    K.mean, K.softmax, K.batch_flatten, K.l2_normalize, K.std, K.argmax, lambda t: K.permute_dimensions(t, (0, 2, 1)),
    lambda t: K.batch_dot(t, t, axes=[2, 2]), lambda t: K.dot(t, tf.ones((3, 2))),
    lambda t: K.conv1d(t, tf.ones((2, 3, 4))), lambda t: K.map_fn(lambda a: a * 2, t),
    lambda t: K.categorical_crossentropy(t, t), lambda t: K.squeeze(t[:, :1], 1),
    lambda t: K.one_hot(K.cast(t[:, :, 0], "int32"), 4), lambda t: K.switch(K.greater(t, 0), t, -t),
])
def test_backend_functions_on_symbolic_tensors(function):
    inputs = keras.Input((5, 3))
    x = rng.rand(2, 5, 3).astype("float32")
    np.testing.assert_allclose(keras.Model(inputs, function(inputs))(x), function(tf.constant(x)), rtol=1e-5)


def test_backend_functions_on_variables():
    layer = layers.Dense(4, bias_initializer="ones")
    layer.build((None, 3))
    assert K.eval(K.mean(layer.bias)) == 1 and K.ndim(layer.kernel) == 2 and K.dtype(layer.kernel) == "float32"
    K.batch_set_value([(layer.bias, np.zeros(4))])
    assert K.batch_get_value([layer.bias])[0].sum() == 0 and K.int_shape(layer.kernel) == (3, 4)
    normal, mean, variance = K.normalize_batch_in_training(tf.constant(X), tf.ones(4), tf.zeros(4), [0])
    np.testing.assert_allclose(normal, (X - X.mean(0)) / np.sqrt(X.var(0) + 1e-3), rtol=1e-4, atol=1e-5)
    with K.learning_phase_scope(1):
        assert K.learning_phase() == 1
    assert K.learning_phase() == 0


def test_gradients_of_the_first_editions_heat_maps():
    model = keras.Sequential(
        [layers.Conv2D(4, 3, activation="relu", input_shape=(6, 6, 3)), layers.Flatten(), layers.Dense(2)]
    )
    convolution, x = model.layers[0], rng.rand(2, 6, 6, 3).astype("float32")
    by_map, = K.gradients(model.output[:, 1], convolution.output)
    by_input, = K.gradients(K.mean(model.output[:, 1]), model.input)
    found = K.function([model.input], [K.mean(by_map, axis=(0, 1, 2)), by_input])([x])
    t = tf.constant(x)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(t)
        maps = convolution(t)
        score = model.layers[2](model.layers[1](maps))[:, 1]
        mean = tf.reduce_mean(score)
    np.testing.assert_allclose(
        found[0], tf.reduce_mean(tape.gradient(score, maps), axis=(0, 1, 2)), rtol=1e-4, atol=1e-6
    )
    np.testing.assert_allclose(found[1], tape.gradient(mean, t), rtol=1e-4, atol=1e-6)


def test_nodes_of_layers():
    shared, first = layers.Dense(4), keras.Input((4,))
    second = shared(first)
    shared(second)
    assert (
        shared.get_input_at(1) is second and shared.get_output_shape_at(1) == (None, 4)
        and len(shared.inbound_nodes) == 2
    )
    assert not shared.stateful and shared.updates == []
    model = keras.Sequential([shared, layers.Dense(2, input_shape=(4,))])
    model.build((None, 4))
    assert set(model.layers) <= set(model.submodules)
    features = keras.Model(model.input, [layer.output for layer in model.layers[-1:]])
    assert features(X).shape == (16, 2)
    named = two_outputs()
    assert keras.Model(named.layers[0].input, named.get_layer("a").output)(X).shape == (16, 1)


# --- connectionist temporal classification, as in the OCR examples


def test_ctc_batch_cost_and_decode():
    labels, lengths = np.array([[1, 1], [2, 0]]), np.array([[2], [1]])
    logits = np.random.RandomState(0).randn(5, 2, 4).astype("float32")
    predictions = tf.nn.softmax(tf.transpose(logits, [1, 0, 2]))
    cost = K.ctc_batch_cost(labels, predictions, np.array([[5], [5]]), lengths)
    np.testing.assert_allclose(cost[:, 0], [7.560427, 6.403623], rtol=1e-5)
    for greedy in (True, False):
        decoded, _ = K.ctc_decode(predictions, np.array([5, 5]), greedy=greedy, beam_width=5)
        assert decoded[0].shape[0] == 2


@pytest.mark.parametrize("options, expected", [
    ({}, [[7.560427, 6.403623], [np.inf, 6.403623]]),
    ({"preprocess_collapse_repeated": True}, [[6.0087976, 6.403623], [1.8974798, 6.403623]]),
    ({"ctc_merge_repeated": False}, [[6.8114886, 8.392505], [4.2140474, 8.392505]]),
])
def test_ctc_loss_of_version_1(options, expected):
    logits = np.random.RandomState(0).randn(5, 2, 4).astype("float32")
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 1, 2], [2, 2])
    found = [tf.compat.v1.nn.ctc_loss(labels, logits, lengths, **options) for lengths in ([5, 5], [2, 5])]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


# --- names and arguments


def test_old_places_of_names():
    from keras.engine.topology import Layer
    from keras.layers.advanced_activations import LeakyReLU
    from keras.preprocessing.image import ImageDataGenerator
    from keras.preprocessing.text import Tokenizer
    from keras.utils import np_utils
    from tensorflow.keras.layers.experimental import preprocessing
    from tensorflow.keras.mixed_precision import experimental as mixed
    from tensorflow.keras.optimizers.experimental import Adam
    from tensorflow.python.keras.engine import input_spec
    from tensorflow.python.keras.utils import np_utils as inner
    from tensorflow.python.keras.utils.np_utils import to_categorical

    assert input_spec.InputSpec is layers.InputSpec
    assert Layer is layers.Layer and LeakyReLU is layers.LeakyReLU and Adam is keras.optimizers.Adam
    assert (
        np_utils.to_categorical is to_categorical is inner.to_categorical
        and mixed.Policy is keras.mixed_precision.Policy
    )
    assert (
        issubclass(preprocessing.PreprocessingLayer, layers.Layer)
        and keras.saving.load_model is keras.models.load_model
    )
    assert Tokenizer is keras.preprocessing.text.Tokenizer and ImageDataGenerator(rescale=0.5).rescale == 0.5
    np.testing.assert_allclose(keras.losses.mean_squared_error([1.0], [3.0]), 4.0)
    np.testing.assert_allclose(keras.metrics.mean_absolute_error([1.0], [3.0]), 2.0)


@pytest.mark.parametrize("old, new", sorted(names.OLD_KERAS_MODULES.items()))
def test_modules_that_only_keras_2_had(old, new):
    target = importlib.import_module(f"tensorflow.keras.{new}")
    found = {importlib.import_module(f"keras.{old}"), importlib.import_module(f"tensorflow.keras.{old}")}
    if any(other.startswith(f"{old}.") for other in names.OLD_KERAS_MODULES):  # a package, with modules of its own
        assert all(
            getattr(module, name) is value for module in found for name, value in vars(target).items() if name[0] != "_"
        )
    else:
        assert found == {target}


def test_generators_of_images(tmp_path):
    images = pytest.importorskip("PIL.Image")
    for name in ("cats", "dogs"):
        os.makedirs(tmp_path / name)
        images.fromarray(np.full((4, 4, 3), 255, "uint8")).save(tmp_path / name / "0.png")
    flow = keras.preprocessing.image.ImageDataGenerator(rescale=1 / 255).flow_from_directory(
        str(tmp_path), target_size=(2, 2), batch_size=2, class_mode="binary")
    x, y = flow.next()
    assert (
        x.shape == (2, 2, 2, 3) and x.max() == 1 and flow.class_indices == {"cats": 0, "dogs": 1} and flow.samples == 2
    )
    gray = keras.preprocessing.image.load_img(str(tmp_path / "cats" / "0.png"), grayscale=True, target_size=(3, 3))
    assert keras.preprocessing.image.img_to_array(gray).shape == (3, 3, 1)


def test_arguments_of_keras_2():
    optimizer = keras.optimizers.Adam(lr=0.01, beta_1=0.9, beta_2=0.999, epsilon=None, decay=0.1, amsgrad=False)
    assert optimizer.epsilon == 1e-7 and float(optimizer._decayed_lr(tf.float32)) == pytest.approx(0.01)
    optimizer.iterations.assign(10)
    assert float(optimizer._decayed_lr(tf.float64)) == pytest.approx(0.005)
    assert keras.utils.to_categorical(y=[0, 2], num_classes=3, dtype="int32").dtype == np.int32
    assert layers.Dense(np.int64(3)).units == 3 and layers.RepeatVector(np.prod((2, 2))).n == 4


def test_cloning_a_model_whose_loss_is_a_method():
    class Agent:
        def loss(self, target, prediction):
            return K.mean(K.sqrt(1 + K.square(prediction - target)) - 1, axis=-1)

    model = mlp(Agent().loss)
    target = keras.models.clone_model(model)
    target.set_weights(model.get_weights())
    np.testing.assert_array_equal(target.predict(X, verbose=0), model.predict(X, verbose=0))
    assert model.compiled and model.train_on_batch(X, Y) > 0


def test_metrics_that_keras_3_dropped():
    mean = keras.metrics.MeanTensor()
    mean.update_state([0, 1, 2, 3])
    mean.update_state([4, 5, 6, 7], sample_weight=[1, 0, 1, 3])
    np.testing.assert_allclose(mean.result(), [2.0, 1.0, 4.0, 6.0])
    with pytest.raises(ValueError, match="same shape"):
        mean.update_state([1])
    relative = keras.metrics.MeanRelativeError(normalizer=[1, 3, 2, 3])
    relative.update_state([1, 3, 2, 3], [2, 4, 6, 8])
    assert float(relative.result()) == 1.25

    class Old(keras.metrics.Metric):
        def __init__(self):
            super().__init__(name="old")
            self.count = self.add_weight(
                name="count", shape=(), initializer="zeros", aggregation=tf.VariableAggregation.SUM
            )

        def update_state(self, y_true, y_pred, sample_weight=None):
            self.count.assign_add(1.0)

        def result(self):
            return self.count

        def reset_states(self):
            self.count.assign(-1.0)

    old = Old()
    old.reset_state()
    assert float(old.result()) == -1


def test_random_fourier_features():
    layer = layers.experimental.RandomFourierFeatures(4000, scale=2.0)
    x = np.array([[0.0, 0.0], [1.0, 1.0]], "float32")
    features = layer(x).numpy()
    kernel = np.exp(-2 / (2 * 2.0 ** 2))  # of the two points
    np.testing.assert_allclose(2 * features[0] @ features[1] / 4000, kernel, atol=0.06)
    assert len(layer.trainable_weights) == 0 and layer.get_config()["scale"] == 2.0


def test_scikit_learn_asks_for_tags():
    pytest.importorskip("sklearn")
    wrapper = keras.wrappers.scikit_learn.KerasClassifier(lambda: mlp())
    assert wrapper.__sklearn_tags__().estimator_type == "classifier"


# --- a notebook


def test_a_cell_of_a_notebook():
    source = ("import tensorflow as tf\n"
              "class Positive(tf.keras.layers.Layer):\n"
              "    def call(self, x):\n"
              "        if tf.reduce_sum(x) > 0:\n"
              "            return x * 2\n"
              "        return x\n"
              "model = tf.keras.Sequential([Positive()])\n"
              "found = model.predict(tf.ones((1, 2)), verbose=0)\n")
    linecache.cache["<ipython-input-1>"] = (len(source), None, source.splitlines(True), "<ipython-input-1>")
    cell = {}
    exec(compile(source, "<ipython-input-1>", "exec"), cell)
    np.testing.assert_array_equal(cell["found"], [[2.0, 2.0]])
