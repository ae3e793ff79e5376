"""The programs that `make bench` times.

A *row* is one line of the table: a program written once against `tf`, which is real TensorFlow in one worker
and Reflow in the other. The program sets up and returns `step`, the call that is timed; what `step` returns
must agree in both workers. `target` is the ratio to reach: the reference's time over ours. A row may count in `units`
(nodes traced, for instance) and have a `limit`, the most microseconds a unit may take us.

The reference is TensorFlow running the same program, or, for a row with `jax=`, plain JAX running that twin, or, for
one with `twin=`, Reflow running another program. What a step has as its attribute `between` is called after each call,
and not timed.
"""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

Step = Callable[[], Any]
Program = Callable[[Any], Step]

ROWS: dict[str, Row] = {}
#: of the processes of both sides. They keep the bytecode of modules, as an installation does: without it, half of
#: `import reflow` is compiling
ENVIRONMENT = {"TF_CPP_MIN_LOG_LEVEL": "3", "REFLOW_PROGRAMS": "0", "PYTHONDONTWRITEBYTECODE": ""}


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    group: str
    target: float
    program: Program
    jax: Callable[[], Step] | None = None
    twin: Program | None = None
    units: int = 1  # in a call of `step`; times are per unit
    limit: float | None = None
    warm_up: int = 30  # calls before timing: more than any counted switch from interpreted to compiled
    cpus: int = 1  # logical devices with which its workers begin
    needs: str = ""  # a package of the reference's; without it the row is skipped

    @property
    def against(self) -> str:
        return "jax" if self.jax is not None else self.needs or "reflow" if self.twin is not None else "tensorflow"


def row(name: str, *, group: str, target: float, **options):
    """Registers a program as a row of the table."""

    def register(program: Program) -> Program:
        if name in ROWS:
            raise ValueError(f"Two rows are named {name!r}.")
        ROWS[name] = Row(name, group, target, program, **options)
        return program

    return register


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


# Eager ops.


@row("eager a + b, 10x10", group="eager", target=6.0)
def eager_add(tf) -> Step:
    a, b = tf.constant(normal(10, 10)), tf.constant(normal(10, 10, seed=1))
    return lambda: a + b


@row("eager matmul, 10x10", group="eager", target=6.0)
def eager_matmul(tf) -> Step:
    a, b = tf.constant(normal(10, 10)), tf.constant(normal(10, 10, seed=1))
    return lambda: tf.matmul(a, b)


@row("eager tanh, 10x10", group="eager", target=6.0)
def eager_tanh(tf) -> Step:
    a = tf.constant(normal(10, 10))
    return lambda: tf.tanh(a)


@row("eager reduce_sum, 10x10", group="eager", target=6.0)
def eager_sum(tf) -> Step:
    a = tf.constant(normal(10, 10))
    return lambda: tf.reduce_sum(a)


@row("eager a * b + c, a million elements", group="eager", target=1.0)
def eager_million(tf) -> Step:
    a, b, c = (tf.constant(normal(1000, 1000, seed=i)) for i in range(3))
    return lambda: a * b + c


@row("tape.gradient of a 20-op scalar chain", group="eager", target=4.0)
def tape_chain(tf) -> Step:
    x = tf.Variable(1.1)

    def step():
        with tf.GradientTape() as tape:
            y = x.value()
            for _ in range(10):
                y = tf.sin(y) * 1.01
        return tape.gradient(y, x)

    return step


# Calls of functions.


@row("function call, 2 arguments", group="function", target=8.0)
def function_of_two(tf) -> Step:
    a, b = tf.constant(normal(10, 10)), tf.constant(normal(10, 10, seed=1))
    add = tf.function(lambda a, b: a + b)
    return lambda: add(a, b)


@row("function call, 20 variables read", group="function", target=6.0)
def function_of_twenty_variables(tf) -> Step:
    variables = [tf.Variable(normal(10, 10, seed=i)) for i in range(20)]
    x = tf.constant(normal(10, 10))

    @tf.function
    def total(x):
        for variable in variables:
            x = x + variable
        return x

    return lambda: total(x)


@row("function call, 200 variables written", group="function", target=2.0)
def function_writing_variables(tf) -> Step:
    variables = [tf.Variable(normal(10, 10, seed=i)) for i in range(200)]
    x = tf.constant(0.001 * normal(10, 10))

    @tf.function
    def add(x):
        for variable in variables:
            variable.assign_add(x)
        return x

    return lambda: add(x)


@row("while_loop of 100 small steps", group="function", target=5.0)
def hundred_steps(tf) -> Step:
    a = tf.constant(0.1 * normal(10, 10))

    @tf.function
    def loop(x):
        return tf.while_loop(lambda i, x: i < 100, lambda i, x: (i + 1, tf.tanh(tf.matmul(x, a)) + 0.1), (0, x))[1]

    x = tf.constant(normal(10, 10))
    return lambda: loop(x)


TRACED = 1000


@row("tracing, a node of 1,000", group="function", target=1.0, units=TRACED, limit=60.0, warm_up=2)
def tracing(tf) -> Step:
    a = tf.Variable(normal(10, 10))
    spec = tf.TensorSpec([None, 10], tf.float32)

    def chain(x):
        read = a.read_value()
        for _ in range(TRACED // 5):
            x = tf.reshape(tf.tanh(tf.matmul(x, read) + x), [-1, 10])
        return x

    def step():
        tf.function(chain, autograph=False).get_concrete_function(spec)
        return 0.0

    return step


# A training step: MLP 784-100-10, batch 50, Adam as Keras writes it, everything in one function.

LEARNING_RATE, BETA_1, BETA_2, EPSILON = 0.001, 0.9, 0.999, 1e-7


def mlp_weights() -> list[np.ndarray]:
    zeros = lambda n: np.zeros(n, np.float32)
    return [0.05 * normal(784, 100, seed=1), zeros(100), 0.05 * normal(100, 10, seed=2), zeros(10)]


def mlp_batch() -> tuple[np.ndarray, np.ndarray]:
    return normal(50, 784), np.random.default_rng(0).integers(0, 10, 50).astype(np.int32)


def mlp_train(tf) -> tuple[Callable, list]:
    """The training step as a plain function, and its arguments."""
    weights = [tf.Variable(w) for w in mlp_weights()]
    means = [tf.Variable(np.zeros_like(w)) for w in mlp_weights()]
    squares = [tf.Variable(np.zeros_like(w)) for w in mlp_weights()]
    time = tf.Variable(0.0)

    def loss_of(x, labels):
        w1, b1, w2, b2 = weights
        hidden = tf.nn.relu(tf.matmul(x, w1) + b1)
        logits = tf.matmul(hidden, w2) + b2
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

    def train(x, labels):
        with tf.GradientTape() as tape:
            loss = loss_of(x, labels)
        gradients = tape.gradient(loss, weights)
        time.assign_add(1.0)
        rate = LEARNING_RATE * tf.sqrt(1.0 - tf.pow(BETA_2, time)) / (1.0 - tf.pow(BETA_1, time))
        for w, m, v, g in zip(weights, means, squares, gradients):
            m.assign_add((g - m) * (1.0 - BETA_1))
            v.assign_add((tf.square(g) - v) * (1.0 - BETA_2))
            w.assign_sub(m * rate / (tf.sqrt(v) + EPSILON))
        return loss

    return train, [tf.constant(array) for array in mlp_batch()]


@row("MLP 784-100-10 Adam step, batch 50", group="training", target=2.5)
def mlp_step(tf) -> Step:
    train, batch = mlp_train(tf)
    train = tf.function(train)
    return lambda: train(*batch)


@row("MLP step, decorated to first result", group="training", target=1.0)
def mlp_first_result(tf) -> Step:
    train, batch = mlp_train(tf)
    return lambda: tf.function(train)(*batch)


def mlp_step_jax() -> Step:
    """The same step in plain JAX: one jitted function whose state is donated."""
    import jax
    import jax.numpy as jnp

    def loss_of(weights, x, labels):
        w1, b1, w2, b2 = weights
        hidden = jax.nn.relu(x @ w1 + b1)
        log_probabilities = jax.nn.log_softmax(hidden @ w2 + b2)
        return -jnp.mean(jnp.take_along_axis(log_probabilities, labels[:, None], axis=1))

    def train(state, x, labels):
        weights, means, squares, time = state
        loss, gradients = jax.value_and_grad(loss_of)(weights, x, labels)
        time = time + 1
        rate = LEARNING_RATE * jnp.sqrt(1 - jnp.power(BETA_2, time)) / (1 - jnp.power(BETA_1, time))
        means = [m + (g - m) * (1 - BETA_1) for m, g in zip(means, gradients)]
        squares = [v + (g * g - v) * (1 - BETA_2) for v, g in zip(squares, gradients)]
        steps = [rate * m / (jnp.sqrt(v) + EPSILON) for m, v in zip(means, squares)]
        return ([w - s for w, s in zip(weights, steps)], means, squares, time), loss

    compiled = jax.jit(train, donate_argnums=0)
    arrays = lambda: [jnp.asarray(w) for w in mlp_weights()]
    zeros = lambda: [jnp.zeros_like(w) for w in mlp_weights()]
    state = (arrays(), zeros(), zeros(), jnp.float32(0))
    x, labels = map(jnp.asarray, mlp_batch())

    def step():
        nonlocal state
        state, loss = compiled(state, x, labels)
        return loss

    return step


# At most 1.1 times plain JAX's time.
row("MLP step, against plain JAX", group="training", target=1 / 1.1, jax=mlp_step_jax)(mlp_step)


# The seeds' regression: eager steps with a tape. The whole program takes 10,000 of them; a call here is one.


def regression_data(tf) -> tuple[Any, Any]:
    x = np.array([2013, 2014, 2015, 2016, 2017, 2018], dtype=np.float32)
    y = np.array([12000, 14000, 15000, 16500, 17500, 19000], dtype=np.float32)
    scale = lambda values: (values - values.min()) / (values.max() - values.min())
    return tf.constant(scale(x)), tf.constant(scale(y))


def regression(tf, apply: Callable[[list, list], Any]) -> Step:
    """A step of the regression; `apply(gradients, variables)` moves the variables."""
    x, y = regression_data(tf)
    a, b = tf.Variable(initial_value=0.0), tf.Variable(initial_value=0.0)
    variables = [a, b]

    def step():
        with tf.GradientTape() as tape:
            prediction = a * x + b
            loss = tf.reduce_sum(tf.square(prediction - y))
        apply(tape.gradient(loss, variables), variables)
        return loss

    return step


@row("seeds' regression, eager step, Keras' SGD", group="training", target=4.0)
def regression_keras(tf) -> Step:
    optimizer = tf.keras.optimizers.SGD(learning_rate=5e-4)
    return regression(tf, lambda gradients, variables: optimizer.apply_gradients(zip(gradients, variables)))


@row("seeds' regression, eager step, assign_sub", group="training", target=4.0)
def regression_by_hand(tf) -> Step:
    def apply(gradients, variables):
        for gradient, variable in zip(gradients, variables):
            variable.assign_sub(5e-4 * gradient)

    return regression(tf, apply)


# Keras. A call of `fit` is 20 steps; one warm model serves all calls.


def keras_mlp(tf):
    layers = tf.keras.layers
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.Input((784,)), layers.Dense(100, activation="relu"), layers.Dense(10)])
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


@row("Keras fit, MLP, batch 50, 20 steps", group="keras", target=1.5)
def keras_fit(tf) -> Step:
    model = keras_mlp(tf)
    x, y = normal(1000, 784), np.random.default_rng(0).integers(0, 10, 1000)

    def step():
        model.fit(x, y, batch_size=50, verbose=0, shuffle=False)
        return 0.0

    return step


@row("Keras predict, one sample", group="keras", target=2.0)
def keras_predict(tf) -> Step:
    model, x = keras_mlp(tf), normal(1, 784)
    return lambda: model.predict(x, verbose=0)


def compiled(tf, model) -> Any:
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


def seeds_cnn(tf) -> Any:
    layers = tf.keras.layers
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential(
        [
            tf.keras.Input((28, 28, 1)),
            layers.Conv2D(32, 5, padding="same", activation="relu"),
            layers.MaxPool2D(2, 2),
            layers.Conv2D(64, 5, padding="same", activation="relu"),
            layers.MaxPool2D(2, 2),
            layers.Flatten(),
            layers.Dense(1024, activation="relu"),
            layers.Dense(10),
        ]
    )
    return compiled(tf, model)


@row("seeds' CNN, training step, batch 50", group="keras", target=1.0, warm_up=3)
def cnn_step(tf) -> Step:
    """Three steps, not more: with oneDNN on AVX-512 the two largest of one of 156,800 pooled windows, 4e-7 apart,
    change places by rounding. Its gradient goes to the other pixel, and after 30 steps the losses are 7% apart. (All of
    TensorFlow's convolutions there are float32: `ONEDNN_VERBOSE=1` names nothing else, and they differ from those of
    float64 by 5e-6 at most.)"""
    return train_on_images(tf, seeds_cnn(tf), 50)


def train_on_images(tf, model, batch: int) -> Step:
    x, y = normal(batch, *model.input_shape[1:]), np.random.default_rng(0).integers(0, 10, batch)
    return lambda: model.train_on_batch(x, y)


@row("small ResNet, training step, batch 32", group="keras", target=1.0, warm_up=6)
def resnet_step(tf) -> Step:
    """Windows of 3x3, batch normalization, sums: eight layers of a ResNet for images of 32x32."""
    layers = tf.keras.layers
    tf.keras.utils.set_random_seed(1)
    image = tf.keras.Input((32, 32, 3))
    x = layers.Conv2D(32, 3, padding="same")(image)
    for filters, stride in ((32, 1), (64, 2), (128, 2)):
        y = layers.Conv2D(filters, 3, strides=stride, padding="same", use_bias=False)(x)
        y = layers.ReLU()(layers.BatchNormalization()(y))
        y = layers.Conv2D(filters, 3, padding="same", use_bias=False)(y)
        y = layers.BatchNormalization()(y)
        x = x if stride == 1 else layers.Conv2D(filters, 1, strides=stride)(x)
        x = layers.ReLU()(layers.Add()([x, y]))
    out = layers.Dense(10)(layers.GlobalAveragePooling2D()(x))
    return train_on_images(tf, compiled(tf, tf.keras.Model(image, out)), 32)


@row("small MobileNet, training step, batch 32", group="keras", target=1.0, warm_up=6)
def mobilenet_step(tf) -> Step:
    """Depthwise and pointwise convolutions with batch normalization, as in MobileNet."""
    layers = tf.keras.layers
    tf.keras.utils.set_random_seed(1)
    image = tf.keras.Input((64, 64, 3))
    x = layers.Conv2D(16, 3, strides=2, padding="same")(image)
    for filters, stride in ((32, 1), (64, 2), (64, 1), (128, 2), (128, 1)):
        x = layers.DepthwiseConv2D(3, strides=stride, padding="same", use_bias=False)(x)
        x = layers.ReLU(6.0)(layers.BatchNormalization()(x))
        x = layers.Conv2D(filters, 1, use_bias=False)(x)
        x = layers.ReLU(6.0)(layers.BatchNormalization()(x))
    out = layers.Dense(10)(layers.GlobalAveragePooling2D()(x))
    return train_on_images(tf, compiled(tf, tf.keras.Model(image, out)), 32)


@row("LSTM(128) training step, batch 32, 40x64", group="keras", target=1.5)
def lstm_step(tf) -> Step:
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.Input((40, 64)), tf.keras.layers.LSTM(128), tf.keras.layers.Dense(10)])
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    x, y = normal(32, 40, 64), np.random.default_rng(0).integers(0, 10, 32)
    return lambda: model.train_on_batch(x, y)


@row("import, with keras, in a new process", group="keras", target=2.0, warm_up=2)
def import_keras(tf) -> Step:
    command = [sys.executable, "-c", f"import {tf.__name__} as tf; tf.keras.layers.Dense"]

    def step():
        return float(subprocess.run(command, check=True, stderr=subprocess.DEVNULL).returncode)

    return step


# --- whole programs, each in a new process

CNN_PROGRAM = """
import numpy as np, {module} as tf
layers = tf.keras.layers
model = tf.keras.Sequential([
    layers.Conv2D(32, 3, activation="relu"), layers.MaxPooling2D(),
    layers.Conv2D(64, 3, activation="relu"), layers.MaxPooling2D(),
    layers.Flatten(), layers.Dense(128, activation="relu"), layers.Dense(10),
])
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(np.zeros((640, 28, 28, 1), "float32"), np.zeros(640), verbose=0)
"""


def _new_process(tf, **environment: str) -> Step:
    command = [sys.executable, "-c", CNN_PROGRAM.format(module=tf.__name__)]

    def step():
        return float(
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL, env=os.environ | environment).returncode
        )

    return step


@row("a program that trains a CNN for 20 steps, first run", group="keras", target=1.0, warm_up=1)
def first_run(tf) -> Step:
    return _new_process(tf, REFLOW_PROGRAMS="0")


@row("a program that trains a CNN for 20 steps, second run", group="keras", target=1.5, warm_up=2)
def second_run(tf) -> Step:
    return _new_process(tf, REFLOW_PROGRAMS=tempfile.mkdtemp(prefix="reflow-bench-"))


# --- pipelines of tf.data: a step is a whole epoch


def epoch(tf, dataset, number: Callable[[Any], Any]) -> Step:
    """Reads a dataset once; the sum of what `number` gives for each element, which both sides must agree on."""

    def step():
        return sum(float(number(element)) for element in dataset)

    return step


def jpeg_batches(tf, side: int, channels: int, batch: int) -> Any:
    """Batches of pictures of `side` by `side` pixels, from 400 files of 256 by 256."""
    folder = tempfile.mkdtemp()
    random = np.random.RandomState(0)
    for i in range(400):
        coarse = np.kron(random.randint(0, 255, (32, 32, 3)), np.ones((8, 8, 1)))
        image = np.clip(coarse + random.normal(0, 10, coarse.shape), 0, 255).astype(np.uint8)
        tf.io.write_file(f"{folder}/{i:04d}.jpg", tf.io.encode_jpeg(image))

    def load(path):
        image = tf.io.decode_jpeg(tf.io.read_file(path), channels=channels)
        return tf.image.random_flip_left_right(tf.image.resize(image, [side, side]))

    tune = tf.data.AUTOTUNE
    names = tf.data.Dataset.list_files(f"{folder}/*.jpg", shuffle=False)
    return names.map(load, num_parallel_calls=tune).batch(batch).prefetch(tune)


@row("data: 400 JPEGs, decode, resize, flip, batch", group="data", target=1.2, warm_up=1)
def jpeg_pipeline(tf) -> Step:
    return epoch(tf, jpeg_batches(tf, 224, 3, 32), len)


def train_on_jpegs(tf, *, cached: bool) -> Step:
    """An epoch of the seeds' CNN on 400 JPEGs, or on the same batches in memory."""
    batches = jpeg_batches(tf, 28, 1, 50)
    batches = batches.cache() if cached else batches
    model, labels = seeds_cnn(tf), np.arange(50) % 10

    def step() -> float:
        for images in batches:
            model.train_on_batch(images, labels)
        return 0.0

    return step


@row("data: seeds' CNN fed by 400 JPEGs, an epoch", group="data", target=1.0, warm_up=2)
def cnn_on_jpegs(tf) -> Step:
    return train_on_jpegs(tf, cached=False)


@row("data: 60,000 rows of 784 in memory, shuffle, batch", group="data", target=3.0, warm_up=1)
def shuffle_pipeline(tf) -> Step:
    dataset = tf.data.Dataset.from_tensor_slices((normal(60000, 784), np.arange(60000)))
    return epoch(tf, dataset.shuffle(10000, seed=1).batch(64).prefetch(2), lambda pair: pair[1][0])


@row("data: 30,000 numbers, map, batch", group="data", target=1.0, warm_up=1)
def map_pipeline(tf) -> Step:
    dataset = tf.data.Dataset.range(30000).map(lambda x: tf.cast(x, tf.float32) * 2.0 + 1.0).batch(64)
    return epoch(tf, dataset, lambda batch: batch[0])


@row("data: 20,000 numbers, filter, flat_map, padded_batch", group="data", target=1.0, warm_up=1)
def filter_pipeline(tf) -> Step:
    dataset = tf.data.Dataset.range(20000).filter(lambda x: x % 2 == 0)
    dataset = dataset.flat_map(lambda x: tf.data.Dataset.from_tensors(tf.range(x % 5 + 1)))
    return epoch(tf, dataset.padded_batch(64), lambda batch: batch[0, 0])


@row("data: 20,000 lines, lower, split, hash, padded_batch", group="data", target=1.0, warm_up=1)
def text_pipeline(tf) -> Step:
    path = tempfile.mkdtemp() + "/lines.txt"
    tf.io.write_file(path, "\n".join(f"Word{i % 97} and WORD{i % 31} then {i}" for i in range(20000)))

    def ids(line):
        return tf.strings.to_hash_bucket_fast(tf.strings.split(tf.strings.lower(line)), 1000)

    return epoch(tf, tf.data.TextLineDataset(path).map(ids).padded_batch(64), lambda batch: batch[0, 0])


@row("data: 20,000 Examples, parse_single_example, batch", group="data", target=1.5, warm_up=1)
def example_pipeline(tf) -> Step:
    features = {
        "ids": tf.io.VarLenFeature(tf.int64),
        "x": tf.io.FixedLenFeature([4], tf.float32),
        "name": tf.io.FixedLenFeature([], tf.string),
    }
    train = tf.train

    def example(i):
        values = {
            "ids": train.Feature(int64_list=train.Int64List(value=range(i % 7))),
            "x": train.Feature(float_list=train.FloatList(value=[i, 2, 3, 4])),
            "name": train.Feature(bytes_list=train.BytesList(value=[b"hello"])),
        }
        return train.Example(features=train.Features(feature=values)).SerializeToString()

    dataset = tf.data.Dataset.from_tensor_slices([example(i) for i in range(20000)])
    dataset = dataset.map(lambda text: tf.io.parse_single_example(text, features)).batch(128)
    return epoch(tf, dataset, lambda batch: batch["x"][0, 0])
