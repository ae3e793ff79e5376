"""Record what TensorFlow 2.21 says while it traces the programs of `tests/function/shape_cases.py`:
`tests/golden/shape_texts.json`."""

import json

import tensorflow as tf

from tests.function.shape_cases import CASES, observe
from tools.golden import GOLDEN

FILE = GOLDEN / "shape_texts.json"


def main():
    records = {name: observe(tf, *case) for name, case in CASES.items()}
    FILE.write_text(json.dumps(records, indent=1) + "\n")
    print(f"{len(records)} cases.")


if __name__ == "__main__":
    main()
