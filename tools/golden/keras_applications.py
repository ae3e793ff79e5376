"""Record what real TensorFlow 2.21 gives for tests/keras/application_programs.py."""

import json

import keras

from tests.keras.application_programs import RECORDED, run
from tools.golden import GOLDEN

recorded = {name: run(keras, name, size, "float64") for name, size in RECORDED.items()}
(GOLDEN / "keras_applications.json").write_text(json.dumps(recorded, indent=0) + "\n")
