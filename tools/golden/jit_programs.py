"""Record what TensorFlow 2.21 does with the programs of `tests/compile/jit_programs.py`:
`tests/golden/jit_programs.json`."""

import json

import tensorflow as tf

from tests.compile.jit_programs import PROGRAMS, observe
from tools.golden import GOLDEN

FILE = GOLDEN / "jit_programs.json"


def main():
    records = {name: observe(tf, function)[0] for name, function in PROGRAMS.items()}
    FILE.write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in records.items()) + "\n}\n")
    print(f"{len(records)} programs.")


if __name__ == "__main__":
    main()
