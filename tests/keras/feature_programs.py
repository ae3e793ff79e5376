"""What programs do around `fit`: callbacks, weights, generators, several inputs and outputs, policies, preprocessing
layers, text on the screen. Each returns what real TensorFlow recorded (`tools/golden/keras_features.py`): numbers,
strings, lists.

Written once against `keras` and `tf`; `folder` is an empty one for files.
"""

import contextlib
import csv
import io
import os
import re

import numpy as np

FEATURES = {}


def feature(function):
    FEATURES[function.__name__] = function
    return function


rng = np.random.RandomState(0)
X = rng.rand(60, 6).astype("float32")
Y = rng.randint(0, 3, 60)
T = (X @ rng.rand(6, 1) + 0.1 * rng.rand(60, 1)).astype("float32")


def network(keras, outputs=3, **compiled):
    model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(outputs)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True) if outputs == 3 else "mse"
    model.compile(**({"optimizer": keras.optimizers.Adam(0.02), "loss": loss} | compiled))
    return model


def history(model, *args, **options):
    return model.fit(*args, **({"batch_size": 16, "epochs": 3, "verbose": 0, "shuffle": False} | options)).history


# --- callbacks


@feature
def early_stopping(keras, tf, folder):
    stop = keras.callbacks.EarlyStopping(
        "val_loss", patience=2, min_delta=0.01, restore_best_weights=True, start_from_epoch=1
    )
    model = network(keras, 1, optimizer=keras.optimizers.SGD(0.9))
    found = history(model, X, T, epochs=12, validation_split=0.25, callbacks=[stop])
    return [found, stop.stopped_epoch, model.evaluate(X, T, verbose=0)]


@feature
def learning_rates(keras, tf, folder):
    callbacks = [
        keras.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=1, min_delta=0.5, cooldown=1, min_lr=0.001),
        keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.9 if epoch > 1 else rate),
    ]
    return history(network(keras), X, Y, epochs=6, callbacks=callbacks)


@feature
def logs_and_files(keras, tf, folder):
    """CSVLogger, ModelCheckpoint, BackupAndRestore, LambdaCallback.

    The order of calls, the names and contents of files.
    """
    calls = []
    keep = keras.callbacks.LambdaCallback(
        on_train_begin=lambda logs: calls.append("begin"), on_epoch_end=lambda e, logs: calls.append([e, sorted(logs)]),
        on_train_end=lambda logs: calls.append("end"))  # fmt: skip
    path = os.path.join(folder, "log.csv")
    callbacks = [
        keep, keras.callbacks.CSVLogger(path),
        keras.callbacks.ModelCheckpoint(os.path.join(folder, "m-{epoch:02d}-{val_loss:.3f}.keras")),
        keras.callbacks.ModelCheckpoint(
            os.path.join(folder, "best.weights.h5"), save_best_only=True, save_weights_only=True
        ),
        keras.callbacks.BackupAndRestore(os.path.join(folder, "backup"))]  # fmt: skip
    model = network(keras, metrics=["accuracy"])
    history(model, X, Y, validation_data=(X[:20], Y[:20]), callbacks=callbacks)
    with open(path) as file:
        rows = [[float(v) for v in row] if row[0] != "epoch" else row for row in csv.reader(file)]
    again = network(keras)
    again.load_weights(os.path.join(folder, "best.weights.h5"))
    return [calls, rows, sorted(os.listdir(folder)), np.abs(again.predict(X, verbose=0)).sum()]


@feature
def tensorboard_events(keras, tf, folder):
    """Every record of the event files, in order: step, tag, plugin, dtype, shape, and the number of a scalar."""
    from tensorflow.core.util import event_pb2

    board = keras.callbacks.TensorBoard(folder, histogram_freq=1, write_images=True, update_freq=2, profile_batch=0)
    history(network(keras, metrics=["accuracy"]), X, Y, validation_data=(X[:20], Y[:20]), callbacks=[board], epochs=2)
    found = []
    for part in ("train", "validation"):
        for file in sorted(os.listdir(os.path.join(folder, part))):
            for record in tf.data.TFRecordDataset(os.path.join(folder, part, file)):
                event = event_pb2.Event.FromString(record.numpy())
                found.append([part, event.step, event.WhichOneof("what")])
                for value in event.summary.value:
                    array = tf.make_ndarray(value.tensor)
                    scalar = float(array) if array.dtype == np.float32 and array.ndim == 0 else ""
                    found.append(
                        [value.tag, value.metadata.plugin_data.plugin_name, str(array.dtype), list(array.shape), scalar]
                    )
    return found


class Interruption(Exception):
    """What stops `backup_and_restore`."""


@feature
def backup_and_restore(keras, tf, folder):
    def stop(epoch, logs):
        if epoch == 2:
            raise Interruption

    backup = keras.callbacks.BackupAndRestore(os.path.join(folder, "backup"), delete_checkpoint=False)
    with contextlib.suppress(Interruption):
        history(network(keras), X, Y, epochs=4, callbacks=[backup, keras.callbacks.LambdaCallback(on_epoch_end=stop)])
    model = network(keras)
    return history(model, X, Y, epochs=4, callbacks=[backup])


@feature
def not_a_number(keras, tf, folder):
    bad = X.copy()
    bad[20] = np.nan
    model = network(keras)
    found = history(model, bad, Y, callbacks=[keras.callbacks.TerminateOnNaN()])
    return [len(found["loss"]), str(found["loss"][0])]


# --- weights, inputs, outputs


@feature
def weights(keras, tf, folder):
    model = network(
        keras, metrics=["accuracy"], weighted_metrics=[keras.metrics.SparseCategoricalAccuracy(name="weighted")]
    )
    by_sample = history(model, X, Y, sample_weight=np.linspace(0.1, 2.0, 60))
    by_class = history(model, X, Y, class_weight={0: 1.0, 1: 2.0, 2: 0.5})
    return [by_sample, by_class, model.evaluate(X, Y, sample_weight=np.linspace(0, 1, 60), verbose=0)]


@feature
def several_inputs_and_outputs(keras, tf, folder):
    layers = keras.layers
    a, b = keras.Input((6,), name="a"), keras.Input((1,), name="b")
    joined = layers.Concatenate()([layers.Dense(5, activation="relu")(a), b])
    model = keras.Model(
        {"a": a, "b": b}, {"kind": layers.Dense(3, name="kind")(joined), "size": layers.Dense(1, name="size")(joined)}
    )
    model.compile(
        "adam", loss={"kind": keras.losses.SparseCategoricalCrossentropy(from_logits=True), "size": "mse"},
        loss_weights={"kind": 1.0, "size": 0.3}, metrics={"kind": ["accuracy"], "size": ["mae", "mse"]})  # fmt: skip
    inputs, targets = {"a": X, "b": T}, {"kind": Y, "size": T}
    found = history(model, inputs, targets, validation_split=0.2)
    scores = model.evaluate(inputs, targets, verbose=0, return_dict=True)
    predicted = model.predict(inputs, verbose=0)
    return [found, scores, {name: float(np.abs(value).sum()) for name, value in predicted.items()}]


@feature
def lists_of_outputs(keras, tf, folder):
    inputs = [keras.Input((6,)), keras.Input((1,))]
    outputs = [keras.layers.Dense(1)(inputs[0]), keras.layers.Dense(1)(inputs[1])]
    model = keras.Model(inputs, outputs)
    model.compile("sgd", ["mse", "mae"], loss_weights=[1.0, 0.5])
    return [
        history(model, [X, T], [T, T]), model.evaluate([X, T], [T, T], verbose=0), model.train_on_batch([X, T], [T, T])
    ]


# --- data


@feature
def generator(keras, tf, folder):
    def batches():
        while True:
            for i in range(0, 60, 20):
                yield X[i : i + 20], Y[i : i + 20]

    model = network(keras)
    found = model.fit(batches(), steps_per_epoch=3, epochs=2, verbose=0, shuffle=False,
                      validation_data=batches(), validation_steps=2).history  # fmt: skip
    return [
        found, model.evaluate(batches(), steps=3, verbose=0),
        model.predict(((x,) for x, _ in [next(batches())]), verbose=0).sum(),
    ]


@feature
def py_dataset(keras, tf, folder):
    class Slices(keras.utils.PyDataset):
        def __len__(self):
            return 4

        def __getitem__(self, i):
            return X[i * 15 : i * 15 + 15], Y[i * 15 : i * 15 + 15]

    plain = history(network(keras), Slices(), batch_size=None)
    threads = history(network(keras), Slices(workers=2, use_multiprocessing=False, max_queue_size=3), batch_size=None)
    return [plain, threads]


@feature
def datasets(keras, tf, folder):
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(10)
    model = network(keras, metrics=["accuracy"])
    endless = history(
        model, data.repeat(), batch_size=None, steps_per_epoch=4, validation_data=data, validation_steps=2
    )
    rare = history(model, data, batch_size=None, epochs=4, validation_data=data, validation_freq=2)
    weighted = tf.data.Dataset.from_tensor_slices((X, Y, np.linspace(0, 1, 60, dtype="float32"))).batch(10)
    return [endless, rare, history(model, weighted, batch_size=None), model.evaluate(data, steps=3, verbose=0)]


@feature
def shuffled(keras, tf, folder):
    return [history(network(keras), X, Y, shuffle=True), history(network(keras), X, Y, shuffle=True, batch_size=7)]


@feature
def initial_epoch(keras, tf, folder):
    model = network(keras)
    return [history(model, X, Y, epochs=2), history(model, X, Y, initial_epoch=2, epochs=5)]


# --- ways to run


@feature
def policies(keras, tf, folder):
    found = []
    for policy in ("mixed_float16", "mixed_bfloat16", "float64"):
        keras.config.set_dtype_policy(policy)
        try:
            model = network(keras)
            found.append([
                history(model, X, Y)["loss"][-1], str(model.layers[0].compute_dtype), str(model.layers[0].kernel.dtype)
            ])
        finally:
            keras.config.set_dtype_policy("float32")
    return found


@feature
def settings(keras, tf, folder):
    """Compiled by XLA, not, "auto", eagerly, several steps at once: the same numbers."""
    choices = [
        {"jit_compile": True}, {"jit_compile": False}, {"jit_compile": "auto"}, {"run_eagerly": True},
        {"steps_per_execution": 2},
    ]
    found = []
    for options in choices:
        keras.utils.set_random_seed(3)
        model = network(keras, **options)
        found.append(
            [history(model, X, Y)["loss"], model.evaluate(X, Y, verbose=0), float(model.predict(X, verbose=0).sum())]
        )
    return found


@feature
def steps_of_ones_own(keras, tf, folder):
    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.a, self.b = keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1)
            self.tracker = keras.metrics.Mean(name="loss")

        def call(self, inputs, training=False):
            return self.b(self.a(inputs)) * (2.0 if training else 1.0)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
            self.optimizer.apply(tape.gradient(loss, self.trainable_variables), self.trainable_variables)
            self.tracker.update_state(loss)
            return {"loss": self.tracker.result(), "last": loss}

        def test_step(self, data):
            x, y = data
            return {"worst": tf.reduce_max(tf.abs(self(x) - y))}

        def predict_step(self, data):
            return self(data) + 100.0

        @property
        def metrics(self):
            return [self.tracker]

    model = Own()
    model.compile(optimizer="rmsprop")
    found = history(model, X, T, validation_data=(X[:10], T[:10]))
    return [found, model.evaluate(X, T, verbose=0), float(model.predict(X, verbose=0).sum())]


@feature
def by_hand(keras, tf, folder):
    """Metrics, losses and optimizers without a model's help."""
    model, optimizer, mean = network(keras), keras.optimizers.Adam(0.01), keras.metrics.Mean()
    accuracy, loss_of = (
        keras.metrics.SparseCategoricalAccuracy(), keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    )

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            predicted = model(x, training=True)
            loss = loss_of(y, predicted)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        mean(loss)
        accuracy(y, predicted)

    rows = []
    for _ in range(3):
        for x, y in tf.data.Dataset.from_tensor_slices((X, Y)).batch(16):
            step(x, y)
        rows.append([float(mean.result()), float(accuracy.result()), int(optimizer.iterations)])
        mean.reset_state()
        accuracy.reset_state()
    return rows


# --- preprocessing layers


@feature
def numeric_preprocessing(keras, tf, folder):
    layers = keras.layers
    normal = layers.Normalization()
    normal.adapt(X)
    bins = layers.Discretization(num_bins=4)
    bins.adapt(X[:, 0])
    image = np.arange(2 * 6 * 6 * 3, dtype="float32").reshape(2, 6, 6, 3)
    return [
        np.asarray(normal(X[:3])), np.asarray(bins(X[:5, 0])), np.asarray(layers.Discretization([0.2, 0.7])(X[:3])),
        np.asarray(layers.CategoryEncoding(4, "multi_hot")([[0, 1], [2, 2]])),
        np.asarray(layers.Rescaling(0.5, 1.0)(image))[0, 0], np.asarray(layers.Resizing(3, 4)(image))[0, 0],
        np.asarray(layers.CenterCrop(2, 2)(image))[0].ravel(), np.asarray(layers.Hashing(10)([["a"], ["b"]])),
        np.asarray(layers.HashedCrossing(5)((np.array(["a", "b"]), np.array([1, 2])))),
    ]  # fmt: skip


@feature
def text_preprocessing(keras, tf, folder):
    layers = keras.layers
    words = layers.StringLookup(output_mode="multi_hot")
    words.adapt([["x", "y"], ["x", "z"]])
    numbers = layers.IntegerLookup(vocabulary=[12, 36, 1138])
    text = layers.TextVectorization(max_tokens=8, output_sequence_length=4, ngrams=2)
    text.adapt(["The cat sat.", "the dog, sat!", "a cat"])
    dataset = tf.data.Dataset.from_tensor_slices(["the cat", "a dog"]).batch(2).map(text)
    return [
        words.get_vocabulary(), np.asarray(words([["y", "q"]])), np.asarray(numbers([[12, 7]])), text.get_vocabulary(),
        np.asarray(text(["the cat sat", "dog"])), [np.asarray(b) for b in dataset],
        np.asarray(layers.StringLookup(vocabulary=["a", "b"], invert=True)([1, 2, 0])).tolist(),
    ]  # fmt: skip


@feature
def random_preprocessing(keras, tf, folder):
    layers, image = keras.layers, np.arange(8 * 8, dtype="float32").reshape(1, 8, 8, 1)
    made = [layers.RandomFlip(seed=1), layers.RandomRotation(0.3, seed=2), layers.RandomZoom(0.4, seed=3),
            layers.RandomTranslation(0.3, 0.2, seed=4), layers.RandomContrast(0.5, seed=5),
            layers.RandomBrightness(0.3, seed=6),
            layers.RandomCrop(5, 5, seed=7)]  # fmt: skip

    def look(layer, training):
        """The middle row, and a number in which every place counts."""
        out = np.asarray(layer(image, training=training), "float64")[0, ..., 0]
        return [out[3], float((out.ravel() * np.arange(out.size)).sum())]

    return [[look(layer, True), look(layer, True), look(layer, False)] for layer in made]


# --- text


@feature
def summary(keras, tf, folder):
    layers, lines = keras.layers, []
    inputs = keras.Input((8, 8, 1), name="picture")
    x = layers.Conv2D(4, 3, name="conv")(inputs)
    skip = layers.BatchNormalization(name="norm")(x)
    outputs = layers.Dense(3, name="out")(layers.Flatten(name="flat")(layers.Add(name="sum")([x, skip])))
    model = keras.Model(inputs, outputs, name="net")
    model.compile("adam", "mse")
    for options in ({}, {"line_length": 70, "show_trainable": True}, {"layer_range": ["conv", "norm"]}):
        model.summary(print_fn=lambda text, **_: lines.append(text), **options)
    nested = keras.Sequential([model, layers.Dense(2, name="last")], name="outer")
    nested.summary(print_fn=lambda text, **_: lines.append(text), expand_nested=True)
    return lines


@feature
def progress_bar(keras, tf, folder):
    """What `fit` and the others print; times and rates differ from run to run and are blanked."""
    model = network(keras, metrics=["accuracy"])
    screens = []
    for verbose in (1, 2):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            model.fit(X, Y, epochs=2, batch_size=20, shuffle=False, verbose=verbose, validation_data=(X, Y))
            model.evaluate(X, Y, verbose=verbose)
            model.predict(X, verbose=verbose)
        last = [line.rpartition("\r")[2] for line in re.sub(r"\x1b\[[0-9;]*m|\x08", "", text.getvalue()).split("\n")]
        times = [re.sub(r"( -)? \d+(s|ms|us|μs)(/step|/epoch)?", " TIME", line).rstrip() for line in last]
        screens.append([re.sub(r"(\d\.\d\d)\d+", r"\1", re.sub(r"( TIME)+", " TIME", line)) for line in times])
    return screens


@feature
def plotting_without_graphviz(keras, tf, folder):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        try:
            keras.utils.plot_model(network(keras), to_file=os.path.join(folder, "model.png"))
        except ImportError as error:
            return [str(error), text.getvalue()]
    return ["", text.getvalue()]
