"""`reflow/drop_in/python/distribute/step_fn.py`: what steps are; `test_single_loss_example.py` trains with them."""

import pytest

import reflow as tf
from reflow.drop_in.python.distribute import step_fn


def test_a_step_has_a_strategy_and_must_say_what_it_does():
    strategy = tf.compat.v1.distribute.OneDeviceStrategy("/cpu:0")
    step = step_fn.Step(strategy)
    assert step.distribution is strategy and step.initialize() == []
    with pytest.raises(NotImplementedError, match="must be implemented in descendants"):
        step()


def test_its_input_is_a_dataset():
    strategy = tf.compat.v1.distribute.OneDeviceStrategy("/cpu:0")
    step = step_fn.StandardInputStep(lambda: tf.data.Dataset.range(3).batch(2), strategy)
    step.initialize()
    assert step._iterator.get_next().numpy().tolist() == [0, 1]
