"""A small trained model, its files in every format of Keras, and what it predicts and learns after it was loaded."""

import os

import numpy as np

FORMATS = ("model.keras", "model.h5", "only.weights.h5")
rng = np.random.RandomState(0)
X, Y = rng.rand(24, 6, 6, 1).astype("float32"), rng.randint(0, 3, 24)


def build(keras):
    layers = keras.layers
    inputs = keras.Input((6, 6, 1))
    # no bias before the normalisation: its gradient is rounding, which Adam would turn into steps
    x = layers.Conv2D(3, 3, activation="relu", use_bias=False, kernel_regularizer=keras.regularizers.L2(0.01))(inputs)
    x = layers.BatchNormalization()(x)
    x = layers.Concatenate()([layers.GlobalAveragePooling2D()(x), layers.Flatten()(x)])
    model = keras.Model(inputs, layers.Dense(3, name="scores")(x))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    return model


def save(keras, folder):
    """Train, and write the files."""
    keras.utils.set_random_seed(5)
    model = build(keras)
    model.fit(X, Y, batch_size=8, epochs=2, verbose=0, shuffle=False)
    model.save(os.path.join(folder, "model.keras"))
    model.save(os.path.join(folder, "model.h5"))
    model.save_weights(os.path.join(folder, "only.weights.h5"))


def load(keras, folder, train=FORMATS) -> dict:
    """What each file gives: predictions, and the losses of two more epochs, for which the optimizer's state matters.

    TensorFlow with Keras 3.15 cannot train what it loaded from `.h5`: it built the optimizer for no variables."""
    found = {}
    for name in FORMATS:
        keras.utils.set_random_seed(6)
        path = os.path.join(folder, name)
        if name.endswith(".weights.h5"):
            model = build(keras)
            model.optimizer.build(model.trainable_variables)
            model.load_weights(path)
        else:
            model = keras.models.load_model(path)
        predicted = model.predict(X, verbose=0)
        found[name] = {"predicted": np.round(predicted.astype("float64"), 6).tolist()}
        if name in train:
            losses = model.fit(X, Y, batch_size=8, epochs=2, verbose=0, shuffle=False).history["loss"]
            found[name] |= {"losses": losses, "steps": int(model.optimizer.iterations.numpy())}
    return found
