"""Record what real TensorFlow 2.21 gives for tests/keras/keras_programs.py: run with a python that has it, from the
repository root."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT / "tests" / "keras")

import keras  # noqa: E402
import tensorflow as tf  # noqa: E402
from keras_programs import PROGRAMS  # noqa: E402

recorded = {}
for name, function in PROGRAMS.items():
    keras.utils.set_random_seed(1)
    recorded[name] = function(keras, tf)
(ROOT / "tests" / "golden" / "keras_programs.json").write_text(json.dumps(recorded, indent=1) + "\n")
