"""LeNet by hand: layers are added one by one, and the weights of a trained network are moved over.

    python examples/engine/lenet.py
"""

import numpy as np

import reflow
import reflow.engine as trt
from reflow.datasets import mnist_small

reflow.install_as_tensorflow()

import tensorflow as tf  # noqa: E402


def trained_weights():
    """LeNet in Keras, trained a little: name -> weights in TensorRT's layouts;
    and a function that says what Keras gives."""
    (x, y), _ = mnist_small()
    x = x[..., None].astype("float32") / 255
    tf.keras.utils.set_random_seed(0)
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        tf.keras.Input((28, 28, 1)),
        layers.Conv2D(6, 5, activation="tanh"), layers.AveragePooling2D(2),
        layers.Conv2D(16, 5, activation="tanh"), layers.AveragePooling2D(2),
        layers.Permute((3, 1, 2)), layers.Flatten(),  # in TensorRT's order, so that the dense weights fit
        layers.Dense(84, activation="tanh"), layers.Dense(10, activation="softmax"),
    ])  # fmt: skip
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(x[:3000], y[:3000], batch_size=50, epochs=2, verbose=0)
    arrays = [w.numpy() for w in model.weights]
    turned = [w.transpose(3, 2, 0, 1) if w.ndim == 4 else w.T if w.ndim == 2 else w for w in arrays]
    names = ("conv1", "conv1_bias", "conv2", "conv2_bias", "fc1", "fc1_bias", "fc2", "fc2_bias")
    return dict(zip(names, map(np.ascontiguousarray, turned))), lambda images: model.predict(images, verbose=0)


def lenet(network, weights):
    """Add LeNet's layers to a network."""

    def block(x, name, maps):
        conv = network.add_convolution_nd(x, maps, (5, 5), weights[name], weights[f"{name}_bias"])
        conv.name = name
        active = network.add_activation(conv.get_output(0), trt.ActivationType.TANH)
        pool = network.add_pooling_nd(active.get_output(0), trt.PoolingType.AVERAGE, (2, 2))
        pool.stride_nd = (2, 2)
        return pool.get_output(0)

    x = network.add_input("image", trt.float32, (-1, 1, 28, 28))
    x = block(block(x, "conv1", 6), "conv2", 16)
    hidden = network.add_fully_connected(x, 84, weights["fc1"], weights["fc1_bias"])
    active = network.add_activation(hidden.get_output(0), trt.ActivationType.TANH)
    scores = network.add_fully_connected(active.get_output(0), 10, weights["fc2"], weights["fc2_bias"])
    soft = network.add_softmax(scores.get_output(0))
    soft.axes = 1 << 1
    soft.get_output(0).name = "digit"
    network.mark_output(soft.get_output(0))


def main():
    weights, keras = trained_weights()
    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    network = builder.create_network()
    lenet(network, weights)
    config = builder.create_builder_config()
    profile = builder.create_optimization_profile()
    profile.set_shape("image", (1, 1, 28, 28), (100, 1, 28, 28), (100, 1, 28, 28))
    config.add_optimization_profile(profile)
    engine = builder.build_engine(network, config)

    _, (images, labels) = mnist_small()
    images, labels = images[:100, ..., None].astype(np.float32) / 255, labels[:100]
    found = np.zeros((100, 10), np.float32)
    engine.create_execution_context().execute_v2([images.transpose(0, 3, 1, 2).copy(), found])
    print(f"largest difference to Keras: {np.abs(found - keras(images)).max():.1e}")
    print(f"right digits: {np.mean(found.argmax(1) == labels):.0%}")


if __name__ == "__main__":
    main()
