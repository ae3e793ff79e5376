"""Records what TensorFlow answers to `tests/api/image_cases.py` in `tests/golden/image.json` and `image.npz`.

/opt/tfvenv/bin/python tools/golden/image.py
"""

import os
import pathlib
import sys

os.environ.update(CUDA_VISIBLE_DEVICES="", TF_CPP_MIN_LOG_LEVEL="3")
TESTS = pathlib.Path(__file__).resolve().parents[2] / "tests"
sys.path[:1] = [str(TESTS), str(TESTS / "api")]  # not this folder: its ops.py would hide the package

import image_cases as cases  # noqa: E402
import tensorflow as tf  # noqa: E402
from ops.golden import Writer  # noqa: E402


def error_of(case) -> list:
    """Class and text of what a case raises; of TensorFlow's own errors without the names of the node."""
    try:
        case(tf)
    except Exception as error:  # whatever it is
        text = str(error).split("}} ")[-1].split(" [Op:")[0]
        return [type(error).__name__, text]
    raise AssertionError("the case raises nothing")


def main():
    writer = Writer()

    def arrays(tensors):
        return [writer.array(t.dtype.name, t.numpy()) for t in cases.flat(tensors)]

    for name, case in cases.VALUES.items():
        writer.records[name] = arrays(case(tf))
    for name, found in cases.gradients(tf).items():
        writer.records[f"gradient {name}"] = arrays(found)
    for name, case in cases.ERRORS.items():
        writer.records[f"error {name}"] = error_of(case)
    writer.save("image")
    print(f"{len(writer.records)} cases.")


if __name__ == "__main__":
    main()
