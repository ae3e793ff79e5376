"""Record what real TensorFlow 2.21 gives for tests/keras/feature_programs.py: run with a python that has it, from the
repository root. The event files need the package tensorboard beside TensorFlow."""

import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT / "tests" / "keras")

import keras  # noqa: E402
import tensorflow as tf  # noqa: E402
from feature_programs import FEATURES  # noqa: E402
from feature_values import plain  # noqa: E402

recorded = {}
for name, function in FEATURES.items():
    keras.utils.clear_session()
    keras.utils.set_random_seed(1)
    with tempfile.TemporaryDirectory() as folder:
        recorded[name] = plain(function(keras, tf, folder))
(ROOT / "tests" / "golden" / "keras_features.json").write_text(json.dumps(recorded, indent=0) + "\n")
