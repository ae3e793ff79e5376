"""Record what real TensorFlow 2.21 gives for tests/keras/application_programs.py: run with a python that has it, from the
repository root."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT / "tests" / "keras")

import keras  # noqa: E402
from application_programs import RECORDED, run  # noqa: E402

recorded = {name: run(keras, name, size, "float64") for name, size in RECORDED.items()}
(ROOT / "tests" / "golden" / "keras_applications.json").write_text(json.dumps(recorded, indent=0) + "\n")
