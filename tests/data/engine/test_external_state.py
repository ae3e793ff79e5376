"""What a dataset's functions use outside of it, and the three policies when a position is saved."""

import contextlib

import pytest

import reflow as tf
from reflow.data.engine import external_state

variable = tf.Variable(1, dtype=tf.int64)
table = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer(tf.constant([0], tf.int64), tf.constant([5], tf.int64)), -1
)
numbers = tf.data.Dataset.range(3)

# TensorFlow raises "… is stateful." for the same datasets, and for no other of these
EXTERNAL = {
    "RandomUniform": lambda: numbers.map(lambda x: tf.random.uniform([])),
    "ReadVariableOp": lambda: numbers.filter(lambda x: x > variable),
    "EagerPyFunc": lambda: numbers.flat_map(
        lambda x: numbers.map(lambda y: tf.py_function(lambda z: z, [y], tf.int64))
    ),
    "PyFunc": lambda: tf.data.Dataset.from_generator(lambda: iter([1]), output_signature=tf.TensorSpec([], tf.int32)),
}
OWN = {
    "shuffle": lambda: numbers.shuffle(3),
    "stateless": lambda: numbers.map(lambda x: tf.random.stateless_uniform([], [1, 2])),
    "table": lambda: numbers.map(table.lookup),
    "assert": lambda: numbers.map(
        lambda x: tf.ensure_shape(x, []) if tf.debugging.assert_less(x, x + 1) is None else x
    ),
}


def value(dataset):
    return dataset._variant_tensor._value


@pytest.mark.parametrize("op", EXTERNAL)
def test_failing(op):
    with pytest.raises(tf.errors.FailedPreconditionError, match=f"{op} is stateful"):
        external_state.check(value(EXTERNAL[op]()), external_state.FAIL)


@pytest.mark.parametrize("name", OWN)
def test_state_of_its_own(name):
    external_state.check(value(OWN[name]()), external_state.FAIL)


def test_warning_and_silence(caplog):
    dataset = value(EXTERNAL["RandomUniform"]())
    external_state.check(dataset, external_state.IGNORE)
    assert not caplog.messages
    external_state.check(dataset, external_state.WARN)
    assert "RandomUniform" in caplog.messages[0]


def test_a_generator_within_a_function():
    dataset = numbers.flat_map(lambda x: EXTERNAL["PyFunc"]())
    with pytest.raises(tf.errors.FailedPreconditionError, match="PyFunc is stateful"):
        external_state.check(value(dataset), external_state.FAIL)


POLICY = tf.data.experimental.ExternalStatePolicy


@pytest.mark.parametrize("policy, symbolic, fails", [
    (None, None, True), (POLICY.FAIL, None, True), (None, False, True), (POLICY.WARN, None, False),
    (POLICY.IGNORE, False, False), (None, True, False), (POLICY.FAIL, True, False),
])
def test_checkpoints_ask_the_options(tmp_path, policy, symbolic, fails):
    """TensorFlow raises an error unless the options say otherwise, and never for symbolic checkpoints."""
    options = tf.data.Options()
    for name, setting in (
        ("experimental_external_state_policy", policy), ("experimental_symbolic_checkpoint", symbolic)
    ):
        if setting is not None:
            setattr(options, name, setting)
    iterator = iter(EXTERNAL["ReadVariableOp"]().with_options(options))
    with (
        pytest.raises(tf.errors.FailedPreconditionError, match="ReadVariableOp is stateful") if fails
        else contextlib.nullcontext()
    ):
        tf.train.Checkpoint(iterator=iterator).write(str(tmp_path / "position"))
