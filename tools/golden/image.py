"""Records what TensorFlow answers to `tests/api/image/image_cases.py` in `tests/golden/image.json` and `image.npz`."""

import tensorflow as tf

from tests.api.image import image_cases as cases
from tests.ops.golden import Writer


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
