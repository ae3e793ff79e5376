"""Records what real TensorFlow makes of the pipelines in `tests/data/pipelines.py`.

Writes `tests/golden/data/pipelines.json`: per pipeline its element spec, cardinality and the elements of two passes
(one, if it has no end); per failing program the class and message of its error.
"""

import json
import re

import tensorflow as tf

from tests.data import (
    failing_pipelines,
    pipelines,
)
from tests.data.plain_elements import elements_of
from tools.golden import GOLDEN


def words(message: str) -> str:
    """A message without the op's and the node's name, traceback, addresses and user's lines."""
    message = re.sub(r"^{{function_node .*?}} ", "", message)
    if message.startswith("in user code:"):
        message = message.rstrip().rsplit("\n", 1)[-1].strip()
    message = message.split(" [Op:")[0].split("\n\t [[")[0].split("\nTraceback")[0]
    return re.sub(r"Dataset:\d+", "Dataset", message)


def record() -> dict:
    out: dict = {"tensorflow": tf.__version__, "pipelines": {}, "errors": {}}
    for name, build in pipelines.PIPELINES.items():
        tf.random.set_seed(None)
        dataset = build(tf)
        endless = dataset.cardinality() == tf.data.INFINITE_CARDINALITY
        # the second pass over a dataset without end begins wherever TensorFlow's prefetching had got to
        passes = [elements_of(dataset, pipelines.LIMIT) for _ in range(1 if endless else 2)]
        out["pipelines"][name] = {
            "spec": repr(dataset.element_spec),
            "cardinality": int(dataset.cardinality()),
            "passes": passes,
        }
    for name, program in failing_pipelines.ERRORS.items():
        try:
            program(tf)
        except Exception as error:  # whatever it is, it is recorded
            out["errors"][name] = {"class": type(error).__name__, "message": words(str(error))}
        else:
            out["errors"][name] = None
    return out


if __name__ == "__main__":
    target = GOLDEN / "data" / "pipelines.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(record(), indent=1) + "\n")
    print(target)
