"""Files of Keras, both ways between real TensorFlow 2.21 and Reflow.

`tests/golden/keras_files/` holds TensorFlow's files and, in `expected.json`, what a model that was loaded from them
gives.
"""

import json
from pathlib import Path

import keras
import numpy as np

from tests.keras.saved_programs import load, save
from tools import golden
from tools.golden import run

TRAIN = ("model.keras", "only.weights.h5")
GOLDEN = golden.GOLDEN / "keras_files"


def check(folder: Path) -> bool:
    """Fails if files in `folder` do not give what TensorFlow's own gave."""
    expected = json.loads((GOLDEN / "expected.json").read_text())
    for name, found in load(keras, str(folder), TRAIN).items():
        for key in expected[name]:
            np.testing.assert_allclose(found[key], expected[name][key], rtol=1e-4, atol=1e-5, err_msg=f"{name} {key}")
    return True


def record():
    GOLDEN.mkdir(parents=True, exist_ok=True)
    save(keras, str(GOLDEN))
    (GOLDEN / "expected.json").write_text(json.dumps(load(keras, str(GOLDEN), TRAIN), indent=0) + "\n")


if __name__ == "__main__":
    run(record, lambda folder: save(keras, str(folder)), check)
