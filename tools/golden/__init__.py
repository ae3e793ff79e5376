"""What real TensorFlow 2.21 gives for the cases of the tests, recorded in `tests/golden/`."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # before any of the scripts imports TensorFlow
