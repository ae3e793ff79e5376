"""Record what real TensorFlow 2.21 gives for tests/keras/keras_programs.py."""

import json

import keras
import tensorflow as tf

from tests.keras.keras_programs import PROGRAMS
from tools.golden import GOLDEN

recorded = {}
for name, function in PROGRAMS.items():
    keras.utils.set_random_seed(1)
    recorded[name] = function(keras, tf)
(GOLDEN / "keras_programs.json").write_text(json.dumps(recorded, indent=1) + "\n")
