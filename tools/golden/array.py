"""Records what TensorFlow answers to `tests/api/array/array_cases.py` in `tests/golden/array.json`."""

import json

import tensorflow as tf

from tests.api.array import array_cases
from tests.api.array.array_record import error_of, gradients_of, record
from tools.golden import GOLDEN


def main():
    golden = {
        "values": {name: record(case(tf)) for name, case in array_cases.VALUES.items()},
        "errors": {name: error_of(case, tf) for name, case in array_cases.ERRORS.items()},
        "gradients": {name: gradients_of(tf, *case) for name, case in array_cases.GRADIENTS.items()},
        "shapes": {name: array_cases.static_shapes(tf, name) for name in array_cases.SHAPES},
    }
    (GOLDEN / "array.json").write_text(json.dumps(golden, indent=0, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
