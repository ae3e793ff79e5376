"""Records what TensorFlow answers to `tests/ops/array_cases.py` in `tests/golden/array.json`.

/opt/tfvenv/bin/python tools/golden/array.py
"""

import json
import os
import sys
from pathlib import Path

os.environ.update(CUDA_VISIBLE_DEVICES="", TF_CPP_MIN_LOG_LEVEL="3")
ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "ops"))

import array_cases  # noqa: E402
import tensorflow as tf  # noqa: E402
from array_record import error_of, gradients_of, record  # noqa: E402


def main():
    golden = {
        "values": {name: record(case(tf)) for name, case in array_cases.VALUES.items()},
        "errors": {name: error_of(case, tf) for name, case in array_cases.ERRORS.items()},
        "gradients": {name: gradients_of(tf, *case) for name, case in array_cases.GRADIENTS.items()},
        "shapes": {name: array_cases.static_shapes(tf, name) for name in array_cases.SHAPES},
    }
    (ROOT / "tests" / "golden" / "array.json").write_text(json.dumps(golden, indent=0, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
