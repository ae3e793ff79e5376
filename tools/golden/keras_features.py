"""Record what real TensorFlow 2.21 gives for tests/keras/feature_programs.py."""

import json
import tempfile

import keras
import tensorflow as tf

from tests.keras.feature_programs import FEATURES
from tests.keras.feature_values import plain
from tools.golden import GOLDEN

recorded = {}
for name, function in FEATURES.items():
    keras.utils.clear_session()
    keras.utils.set_random_seed(1)
    with tempfile.TemporaryDirectory() as folder:
        recorded[name] = plain(function(keras, tf, folder))
(GOLDEN / "keras_features.json").write_text(json.dumps(recorded, indent=0) + "\n")
