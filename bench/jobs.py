"""Whole jobs: the models and loops that users wait for, beside the small rows of `programs.py`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from programs import Step, compiled, normal, row, train_on_images


@row("eager math, 2000x2000", group="eager", target=1.0, warm_up=3)
def eager_large(tf) -> Step:
    x = tf.constant(np.abs(normal(2000, 2000)))
    return lambda: tf.reduce_sum(tf.sigmoid(tf.math.log1p(tf.sqrt(tf.exp(x)))))


@row("eager CNN, a step with a tape", group="eager", target=1.0, warm_up=5)
def eager_cnn(tf) -> Step:
    """Images of 28x28, batch 32; nothing is decorated."""
    filters = [tf.Variable(0.1 * normal(3, 3, 1, 16)), tf.Variable(0.1 * normal(3, 3, 16, 32))]
    dense = tf.Variable(0.1 * normal(7 * 7 * 32, 10))
    x, y = tf.constant(normal(32, 28, 28, 1)), tf.constant(np.arange(32) % 10)
    variables = [*filters, dense]

    def step():
        with tf.GradientTape() as tape:
            h = x
            for weights in filters:
                h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(h, weights, 1, "SAME")), 2, 2, "SAME")
            logits = tf.reshape(h, [32, -1]) @ dense
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
        for variable, gradient in zip(variables, tape.gradient(loss, variables)):
            variable.assign_sub(1e-4 * gradient)
        return loss

    return step


@row("GRU cell over 12 lengths, growing TensorArray", group="function", target=1.0, warm_up=3)
def lengths(tf) -> Step:
    """One function for sequences of every length: a loop over `tf.shape(x)[1]`."""
    kernel, recurrent = tf.constant(0.1 * normal(32, 192)), tf.constant(0.1 * normal(64, 192, seed=1))

    def cell(x, h):
        xz, xr, xh = tf.split(x @ kernel, 3, axis=1)
        hz, hr, hh = tf.split(h @ recurrent, 3, axis=1)
        z = tf.sigmoid(xz + hz)
        return z * h + (1 - z) * tf.tanh(xh + tf.sigmoid(xr + hr) * hh)

    @tf.function(input_signature=[tf.TensorSpec([None, None, 32])])
    def run(x):
        h = tf.zeros([tf.shape(x)[0], 64])
        states = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for t in tf.range(tf.shape(x)[1]):
            h = cell(x[:, t], h)
            states = states.write(t, h)
        return tf.reduce_sum(states.stack())

    batches = [tf.constant(normal(16, n, 32, seed=n)) for n in range(10, 70, 5)]
    return lambda: sum(run(x) for x in batches)


@row("Collatz, while in a function", group="function", target=1.0, warm_up=3)
def collatz(tf) -> Step:
    @tf.function
    def steps(n):
        count = tf.constant(0)
        while n > 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        return count

    number = tf.constant(97)
    return lambda: steps(number)


@row("Transformer 4x128, length 64, batch 16, step", group="jobs", target=1.0, warm_up=3)
def transformer(tf) -> Step:
    layers = tf.keras.layers
    tf.keras.utils.set_random_seed(1)
    tokens = tf.keras.Input((64,), dtype="int32")
    x = layers.Embedding(1000, 128)(tokens)
    for _ in range(4):
        a = layers.MultiHeadAttention(4, 32)(x, x)
        x = layers.LayerNormalization()(layers.Add()([x, a]))
        f = layers.Dense(128)(layers.Dense(512, activation="gelu")(x))
        x = layers.LayerNormalization()(layers.Add()([x, f]))
    model = tf.keras.Model(tokens, layers.Dense(1000)(x))
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    ids = np.random.default_rng(0).integers(0, 1000, (16, 65)).astype(np.int32)
    return lambda: model.train_on_batch(ids[:, :-1], ids[:, 1:])


@row("GRU text model, batch 32, 40 steps, step", group="jobs", target=1.0, warm_up=3)
def gru_text(tf) -> Step:
    layers = tf.keras.layers
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential(
        [
            tf.keras.Input((40,), dtype="int32"), layers.Embedding(100, 64), layers.GRU(128, return_sequences=True),
            layers.Dense(100),
        ]
    )
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    ids = np.random.default_rng(0).integers(0, 100, (32, 41)).astype(np.int32)
    return lambda: model.train_on_batch(ids[:, :-1], ids[:, 1:])


@row("UNet 64x64, batch 8, step", group="jobs", target=1.0, warm_up=3)
def unet(tf) -> Step:
    layers = tf.keras.layers
    tf.keras.utils.set_random_seed(1)
    image = tf.keras.Input((64, 64, 3))
    x, skips = image, []
    double = lambda x, n: layers.Conv2D(n, 3, padding="same", activation="relu")(
        layers.Conv2D(n, 3, padding="same", activation="relu")(x)
    )
    for n in (16, 32, 64):
        skips.append(double(x, n))
        x = layers.MaxPooling2D()(skips[-1])
    x = double(x, 128)
    for n in (64, 32, 16):
        x = layers.Concatenate()([layers.Conv2DTranspose(n, 2, strides=2)(x), skips.pop()])
        x = double(x, n)
    model = tf.keras.Model(image, layers.Conv2D(1, 1)(x))
    model.compile("adam", "mse")
    x, y = normal(8, 64, 64, 3), normal(8, 64, 64, 1, seed=1)
    return lambda: model.train_on_batch(x, y)


@row("MobileNetV2 96x96, batch 16, step", group="jobs", target=1.0, warm_up=2)
def mobilenet_v2(tf) -> Step:
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.applications.MobileNetV2((96, 96, 3), weights=None, classes=10, classifier_activation=None)
    step = train_on_images(tf, compiled(tf, model), 16)

    def timed():
        step()
        return 0.0  # 53 batch normalizations of one batch: the losses drift apart by more than rounding

    return timed


@row("DCGAN, a step in one function", group="jobs", target=1.0, warm_up=3)
def dcgan(tf) -> Step:
    layers, losses = tf.keras.layers, tf.keras.losses
    tf.keras.utils.set_random_seed(1)
    generator = tf.keras.Sequential(
        [
            tf.keras.Input((64,)),
            layers.Dense(7 * 7 * 64, activation="relu"),
            layers.Reshape((7, 7, 64)),
            layers.Conv2DTranspose(32, 4, strides=2, padding="same", activation="relu"),
            layers.Conv2DTranspose(1, 4, strides=2, padding="same", activation="tanh"),
        ]
    )
    critic = tf.keras.Sequential(
        [
            tf.keras.Input((28, 28, 1)),
            layers.Conv2D(32, 4, strides=2, padding="same", activation="relu"),
            layers.Conv2D(64, 4, strides=2, padding="same", activation="relu"),
            layers.Flatten(),
            layers.Dense(1),
        ]
    )
    loss = losses.BinaryCrossentropy(from_logits=True)
    optimizers = [tf.keras.optimizers.Adam(1e-4) for _ in range(2)]
    noise, real = tf.constant(normal(32, 64)), tf.constant(normal(32, 28, 28, 1, seed=1))

    @tf.function
    def step():
        with tf.GradientTape(persistent=True) as tape:
            fake = generator(noise, training=True)
            on_fake, on_real = critic(fake, training=True), critic(real, training=True)
            make = loss(tf.ones_like(on_fake), on_fake)
            tell = loss(tf.ones_like(on_real), on_real) + loss(tf.zeros_like(on_fake), on_fake)
        for optimizer, model, value in zip(optimizers, (generator, critic), (make, tell)):
            optimizer.apply_gradients(zip(tape.gradient(value, model.trainable_variables), model.trainable_variables))
        return make

    return step


@row("ResNet-50 predict, batch 4", group="jobs", target=1.0, warm_up=2)
def resnet_50(tf) -> Step:
    tf.keras.utils.set_random_seed(1)
    model, x = tf.keras.applications.ResNet50(weights=None), normal(4, 224, 224, 3)
    return lambda: model.predict(x, verbose=0)


@row("model called on one sample", group="jobs", target=1.0)
def one_sample(tf) -> Step:
    tf.keras.utils.set_random_seed(1)
    layers = tf.keras.layers
    hidden = [layers.Dense(64, activation="relu") for _ in range(2)]
    model = tf.keras.Sequential([tf.keras.Input((16,)), *hidden, layers.Dense(4)])
    x = tf.constant(normal(1, 16))
    return lambda: model(x)


@row("SavedModel, load and 20 calls", group="jobs", target=1.0, warm_up=2)
def saved_model(tf) -> Step:
    class Module(tf.Module):
        def __init__(self):
            super().__init__()
            self.weights = [tf.Variable(0.1 * normal(64, 64, seed=i)) for i in range(20)]

        @tf.function(input_signature=[tf.TensorSpec([None, 64])])
        def __call__(self, x):
            for w in self.weights:
                x = tf.nn.relu(x @ w)
            return x

    folder = tempfile.TemporaryDirectory()
    tf.saved_model.save(Module(), folder.name)
    x = tf.constant(normal(8, 64))

    def step():
        loaded = tf.saved_model.load(folder.name)
        for _ in range(20):
            y = loaded(x)
        return y

    step.folder = folder  # lives as long as the step
    return step


@row("checkpoint of 200 MB, save and restore", group="jobs", target=1.0, warm_up=1)
def checkpoint(tf) -> Step:
    variables = [tf.Variable(normal(2500, 1000, seed=i)) for i in range(20)]
    folder = tempfile.TemporaryDirectory()
    made = tf.train.Checkpoint(variables=variables)

    def step():
        path = made.write(str(Path(folder.name) / "one"))
        made.read(path)
        return variables[0][0, 0]

    step.folder = folder
    return step
