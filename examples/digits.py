"""The handwritten digits that the other examples use: 7,000 images of MNIST, which come with Reflow. No network is
needed.

    python -m reflow examples/digits.py

The file is read from this checkout, so that the examples run on TensorFlow too. Outside a checkout Reflow's copy is
used.
"""

from pathlib import Path

import numpy as np

FILE = Path(__file__).resolve().parents[1] / "reflow" / "datasets" / "mnist_7k.npz"


def load(train=6_000, test=1_000):
    """Images as floats in [0, 1] with shape (n, 28, 28, 1), labels as integers.

    `((x_train, y_train), (x_test, y_test))`.
    """
    if FILE.exists():
        with np.load(FILE) as data:
            splits = (data["x_train"], data["y_train"]), (data["x_test"], data["y_test"])
    else:
        from reflow.datasets import mnist_small

        splits = mnist_small()
    return tuple(
        (x[:count, :, :, np.newaxis].astype("float32") / 255, y[:count].astype("int32"))
        for (x, y), count in zip(splits, (train, test))
    )


def picture(image):
    """An image as lines of characters, two rows of pixels to a line."""
    shades = np.array(list(" .:-=+*#%@"))
    rows = np.clip(np.asarray(image).reshape(28, 28)[::2] * 9.99, 0, 9).astype(int)
    return "\n".join("".join(shades[row]) for row in rows)


if __name__ == "__main__":
    (images, labels), _ = load(train=2)
    for image, label in zip(images, labels):
        print(f"This is a {label}:\n{picture(image)}")
