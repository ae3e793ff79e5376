"""Files of Keras, both ways between real TensorFlow 2.21 and Reflow.

    $REFLOW_TF_PYTHON -m tools.golden.keras_files              # with TensorFlow: write tests/golden/keras_files/ and what they give
    $REFLOW_TF_PYTHON -m tools.golden.keras_files --check DIR  # with TensorFlow: load files that Reflow wrote into DIR and compare

For `--check` write the files first: .venv/bin/python -m reflow -m tools.golden.keras_files --write DIR`.
"""

import json
import sys
from pathlib import Path

import keras
import numpy as np

from tests.keras.saved_programs import load, save
from tools import golden

TRAIN = ("model.keras", "only.weights.h5")
GOLDEN = golden.GOLDEN / "keras_files"


def check(folder: str) -> None:
    """Fail if files in `folder` do not give what TensorFlow's own gave."""
    expected = json.loads((GOLDEN / "expected.json").read_text())
    for name, found in load(keras, folder, TRAIN).items():
        for key in expected[name]:
            np.testing.assert_allclose(found[key], expected[name][key], rtol=1e-4, atol=1e-5, err_msg=f"{name} {key}")
        print("equal:", name)


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "--check":
        check(sys.argv[2])
    elif len(sys.argv) > 2 and sys.argv[1] == "--write":
        Path(sys.argv[2]).mkdir(parents=True, exist_ok=True)
        save(keras, sys.argv[2])
    else:
        GOLDEN.mkdir(parents=True, exist_ok=True)
        save(keras, str(GOLDEN))
        (GOLDEN / "expected.json").write_text(json.dumps(load(keras, str(GOLDEN), TRAIN), indent=0) + "\n")
