"""Record what real TensorFlow 2.21 gives for tests/keras/curve_programs.py.

The images are those of `reflow.datasets.mnist_small`.
"""

import json

import numpy as np
import tensorflow as tf

from tests.keras.curve_programs import CURVES
from tools.golden import GOLDEN, ROOT

data = np.load(ROOT / "reflow" / "datasets" / "mnist_7k.npz")
images = (data["x_train"].astype("float32") / 255.0)[..., None]
labels = data["y_train"].astype("int32")

recorded = {}
for name, function in CURVES.items():
    tf.keras.utils.set_random_seed(1)
    recorded[name] = [float(np.float32(loss)) for loss in function(tf, images, labels)]
    print(name, recorded[name][0], recorded[name][-1])
(GOLDEN / "keras_curves.json").write_text(json.dumps(recorded, indent=0) + "\n")
