"""What real TensorFlow 2.21 gives for the cases of the tests, recorded in `tests/golden/`."""

import os

from tests import GOLDEN, ROOT

__all__ = ["GOLDEN", "ROOT"]

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # before any of the scripts imports TensorFlow
