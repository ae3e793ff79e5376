"""Keras programs that the skeleton must run: each returns numbers that real TensorFlow recorded
(`tools/golden/keras_programs.py`).

Written once against the `keras` and `tf` modules, so that TensorFlow and Reflow run the same lines.
"""

import numpy as np

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def data():
    rng = np.random.RandomState(0)
    return {
        "x": rng.rand(50, 6).astype("float32"), "y": rng.randint(0, 3, 50), "ids": rng.randint(0, 20, (50, 7)),
        "sequences": rng.rand(50, 5, 4).astype("float32"), "longer": rng.rand(50, 9, 4).astype("float32"),
        "images": rng.rand(50, 8, 8, 1).astype("float32"),
    }


def train(keras, model, x, y, logits=True, optimizer="adam", **options):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=logits)
    model.compile(optimizer, loss, **options)
    history = model.fit(x, y, batch_size=8, epochs=2, verbose=0)
    scores = np.ravel(model.evaluate(x, y, verbose=0)).tolist()
    predicted = model.predict(x, verbose=0)
    return [*history.history["loss"], *scores, float(np.abs(predicted).sum())]


@program
def mlp(keras, tf):
    d, layers = data(), keras.layers
    model = keras.Sequential(
        [layers.Dense(8, activation="relu"), layers.Dropout(0.5), layers.BatchNormalization(), layers.Dense(3)])
    return train(keras, model, d["x"], d["y"], metrics=["accuracy"])


@program
def embedding(keras, tf):
    d, layers = data(), keras.layers
    model = keras.Sequential(
        [layers.Embedding(20, 4), layers.GlobalAveragePooling1D(), layers.Dense(3, activation="softmax")]
    )
    return train(keras, model, d["ids"], d["y"], logits=False)


@program
def masked_lstm(keras, tf):
    d, layers = data(), keras.layers
    model = keras.Sequential(
        [keras.Input((None,)), layers.Embedding(20, 4, mask_zero=True), layers.LSTM(5), layers.Dense(3)]
    )
    return train(keras, model, d["ids"], d["y"], optimizer="rmsprop")


@program
def lstm_variable_length(keras, tf):
    d, layers = data(), keras.layers
    model = keras.Sequential(
        [keras.Input((None, 4)), layers.LSTM(5, return_sequences=True), layers.GRU(4), layers.Dense(3)]
    )
    first = train(keras, model, d["sequences"], d["y"], optimizer="sgd")
    return first + model.fit(d["longer"], d["y"], batch_size=8, verbose=0).history["loss"]


def _dense(keras):
    return keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(3)])


@program
def steps_per_execution(keras, tf):
    d = data()
    return train(keras, _dense(keras), d["x"], d["y"], steps_per_execution=4)


@program
def gradient_accumulation(keras, tf):
    d = data()
    return train(keras, _dense(keras), d["x"], d["y"],
                 optimizer=keras.optimizers.Adam(gradient_accumulation_steps=3, clipnorm=1.0, use_ema=True))


@program
def loss_scaling(keras, tf):
    d, layers = data(), keras.layers
    model = keras.Sequential([layers.Dense(8, activation="relu", dtype="mixed_float16"), layers.Dense(3)])
    return train(keras, model, d["x"], d["y"], optimizer=keras.optimizers.LossScaleOptimizer(keras.optimizers.AdamW()))


@program
def cnn(keras, tf):
    d, layers = data(), keras.layers
    model = keras.Sequential([
        layers.Conv2D(4, 3, padding="same", activation="relu"), layers.MaxPooling2D(), layers.Conv2D(8, 3),
        layers.GlobalAveragePooling2D(), layers.Dense(3)])
    return train(keras, model, d["images"], d["y"])


@program
def batches_by_hand(keras, tf):
    d, layers = data(), keras.layers
    model = keras.Sequential([layers.Dense(4, activation="relu"), layers.Dense(1, activation="sigmoid")])
    model.compile("adam", "binary_crossentropy", metrics=["AUC"])
    y = (d["y"] > 0).astype("float32")
    rows = [model.train_on_batch(d["x"], y, sample_weight=np.ones(50, "float32")), model.train_on_batch(d["x"], y),
            model.test_on_batch(d["x"], y)]
    return [*np.ravel(rows).tolist(), float(np.sum(model.predict_on_batch(d["x"])))]


@program
def tape_by_hand(keras, tf):
    d = data()
    model, optimizer = _dense(keras), keras.optimizers.Adam()
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    losses = []
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = loss_of(d["y"], model(d["x"]))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        losses.append(float(loss))
    return losses + train(keras, _dense(keras), d["x"], d["y"], run_eagerly=True)


@program
def functional_model(keras, tf):
    d, layers = data(), keras.layers
    inputs = keras.Input((6,))
    hidden = layers.Dense(5, activation="gelu", kernel_regularizer="l2")(inputs)
    outputs = layers.Dense(3)(layers.Concatenate()([hidden, layers.LayerNormalization()(hidden)]))
    model = keras.Model(inputs, outputs)
    schedule = keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)
    return train(keras, model, d["x"], d["y"], optimizer=keras.optimizers.SGD(schedule, momentum=0.9))


@program
def dataset_input(keras, tf):
    d = data()
    dataset = tf.data.Dataset.from_tensor_slices((d["x"], d["y"])).shuffle(50, seed=1).batch(8)
    model = keras.Sequential([keras.layers.Dense(3)])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model.fit(dataset, epochs=2, shuffle=False, verbose=0).history["loss"]
