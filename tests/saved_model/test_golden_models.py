"""SavedModels of a module that trains, as either library wrote them (`tools/golden/saved_model.py`):
the same numbers."""

import numpy as np
import pytest

import reflow as tf
from tools.golden import saved_model as golden


@pytest.mark.parametrize("writer", ["tensorflow", "reflow"])
def test_golden_models_run_with_equal_numbers(writer):
    """The MLP with its training functions, conditions and loops, as written by either library."""
    folder = golden.GOLDEN / writer
    loaded = tf.saved_model.load(folder / "model")
    numbers = golden.exercise(tf, loaded) | golden.exercise_signatures(tf, loaded)
    wrong = {k: d for k, d in golden.differences(folder, numbers).items() if d > golden.TOLERANCE}
    assert not wrong


def test_tensorflows_checkpoint_of_the_same_module():
    model = golden.build(tf)
    for variable in model.variables:
        variable.assign(tf.zeros_like(variable))
    tf.train.Checkpoint(model=model).read(golden.GOLDEN / "tensorflow" / "checkpoint" / "ckpt").assert_consumed()
    wanted = golden.build(tf).variables
    assert all(np.array_equal(a.numpy(), b.numpy()) for a, b in zip(model.variables, wanted, strict=True))


def test_golden_files_are_small():
    assert sum(f.stat().st_size for f in golden.GOLDEN.rglob("*") if f.is_file()) < 300_000
