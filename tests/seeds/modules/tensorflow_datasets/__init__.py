"""`tensorflow_datasets.load` without the network: a few random pictures under the names that the documents use."""

import numpy as np
import tensorflow as tf

SHAPES = {"mnist": (28, 28, 1), "cats_vs_dogs": (48, 40, 3), "tf_flowers": (40, 56, 3)}
CLASSES = {"mnist": 10, "cats_vs_dogs": 2, "tf_flowers": 5}


class Split:
    TRAIN, TEST = "train", "test"


def load(name, split, as_supervised=False):
    random = np.random.RandomState(0)
    images = random.randint(0, 256, (8, *SHAPES[name])).astype(np.uint8)
    labels = random.randint(0, CLASSES[name], 8)
    elements = (images, labels) if as_supervised else {"image": images, "label": labels}
    return tf.data.Dataset.from_tensor_slices(elements)
