"""From a Keras network to a plan that another process runs: SavedModel -> engine -> plan.

    python examples/engine/keras_cnn.py

A small network learns MNIST's digits, becomes engines in FP32, FP16 and INT8, and each is compared with the network.
The FP32 engine is saved, and a second process loads it, in which neither Keras nor the model exists.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np

import reflow
import reflow.engine as trt
from reflow.datasets import mnist_small

reflow.install_as_tensorflow()

import tensorflow as tf  # noqa: E402

BATCH = 50
RUN = """
import sys, numpy as np, reflow.engine as trt
engine = trt.Runtime(trt.Logger()).deserialize_cuda_engine(open(sys.argv[1], "rb").read())
images = np.load(sys.argv[2])
(scores,) = engine.create_execution_context().run({engine.input_names[0]: images}).values()
np.save(sys.argv[3], scores)
"""


def trained():
    """A convolutional network, and the digits on which it is compared."""
    (x, y), (test, _) = mnist_small()
    x, test = x[..., None].astype("float32") / 255, test[..., None].astype("float32") / 255
    tf.keras.utils.set_random_seed(0)
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        tf.keras.Input((28, 28, 1)),
        layers.Conv2D(8, 3, strides=2, use_bias=False),
        layers.BatchNormalization(),
        layers.ReLU(),
        layers.Conv2D(16, 3, strides=2, activation="relu"),
        layers.Flatten(),
        layers.Dense(10, activation="softmax"),
    ])  # fmt: skip
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(x[:3000], y[:3000], batch_size=BATCH, epochs=2, verbose=0)
    return model, test[: BATCH * 10]


class Digits(trt.IInt8MinMaxCalibrator):
    """Shows the builder some digits."""

    def __init__(self, images):
        super().__init__()
        self.batches = [images[i : i + BATCH] for i in range(0, 4 * BATCH, BATCH)]

    def get_batch(self, names):
        return [self.batches.pop()] if self.batches else None


def built(signature, precision, images):
    config = trt.IBuilderConfig()
    profile = trt.IOptimizationProfile()
    (name,) = signature.structured_input_signature[1]
    profile.set_shape(name, (1, 28, 28, 1), (BATCH, 28, 28, 1), (BATCH, 28, 28, 1))
    config.add_optimization_profile(profile)
    if precision != "FP32":
        config.set_flag(trt.BuilderFlag[precision])
    if precision == "INT8":
        config.int8_calibrator = Digits(images)
    return trt.build_from_function(signature, config, logger=trt.Logger(trt.Logger.ERROR))


def run(engine, images):
    context, name = engine.create_execution_context(), engine.input_names[0]
    parts = [images[i : i + BATCH] for i in range(0, len(images), BATCH)]
    return np.concatenate([next(iter(context.run({name: part}).values())) for part in parts])


def main():
    model, images = trained()
    wanted = model.predict(images, batch_size=BATCH, verbose=0)
    with tempfile.TemporaryDirectory() as folder:
        model.export(folder, verbose=False)
        signature = tf.saved_model.load(folder).signatures["serving_default"]
        for precision in ("FP32", "FP16", "INT8"):
            engine = built(signature, precision, images)
            scores = run(engine, images)
            agree = np.mean(scores.argmax(1) == wanted.argmax(1))
            print(
                f"{precision}: largest difference {np.abs(scores - wanted).max():.1e}, same digit for "
                f"{agree:.1%} of {len(images)}"
            )
            if precision == "FP32":
                in_another_process(engine, images[:BATCH], wanted[:BATCH], folder)


def in_another_process(engine, images, wanted, folder):
    paths = [os.path.join(folder, name) for name in ("digits.plan", "images.npy", "scores.npy")]
    with open(paths[0], "wb") as file:
        file.write(engine.serialize())
    np.save(paths[1], images)
    subprocess.run([sys.executable, "-c", RUN, *paths], check=True, timeout=300)
    difference = np.abs(np.load(paths[2]) - wanted).max()
    print(f"the plan ({os.path.getsize(paths[0]):,} bytes) in another process: largest difference {difference:.1e}")


if __name__ == "__main__":
    main()
