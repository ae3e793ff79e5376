"""`REFLOW_DUMP`: each pass of the partitioning, and each program, as a file."""

import os
import subprocess
import sys

from reflow.compile.partition import PASSES

PROGRAM = """
import reflow as tf
total = tf.Variable(0.0)

@tf.function
def step(x):
    total.assign_add(tf.reduce_sum(x))
    tf.print(total)
    return x * 2.0

for _ in range(2):
    step(tf.constant([1.0, 2.0]))
"""


def test_passes_and_programs_are_written(tmp_path):
    environment = os.environ | {"REFLOW_DUMP": str(tmp_path / "dump")}
    subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True)
    files = sorted((tmp_path / "dump").iterdir())
    kinds = [f.stem.split("-", 2)[-1] for f in files]
    assert kinds[: len(PASSES)] == [name for name, _ in PASSES]
    assert [k.split("-")[-1] for k in kinds[-2:]] == ["jaxpr", "hlo"]
    steps = files[len(PASSES) - 1].read_text()
    assert "AssignAddVariableOp" in steps and "step 1" in steps and "host" in steps
    assert "mul" in files[-2].read_text() and "HloModule" in files[-1].read_text()
