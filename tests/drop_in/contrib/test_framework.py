"""Variables of models, and values for them from checkpoints."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib

v1 = tf.compat.v1


framework = contrib.framework


def test_variables_by_scope_and_name():
    with tf.Graph().as_default():
        contrib.layers.fully_connected(tf.ones([1, 2]), 3, scope="a/b")
        framework.model_variable("c", shape=[2], device="/cpu:0")
        framework.variable("d", shape=[], trainable=False)
        names = lambda found: [v.op.name for v in found]  # noqa: E731
        assert names(framework.get_model_variables()) == ["a/b/weights", "a/b/biases", "c"]
        assert names(framework.get_variables("a")) == ["a/b/weights", "a/b/biases"]
        assert names(framework.get_variables_by_suffix("biases")) == ["a/b/biases"]
        assert names(framework.get_variables_to_restore(exclude=["a"])) == ["c", "d"]
        assert names(framework.filter_variables(v1.global_variables(), ["a/"], ["biases"])) == ["a/b/weights"]
        assert framework.get_unique_variable("c").shape == [2] and names(framework.get_trainable_variables("d")) == []
        with pytest.raises(ValueError, match="does not exist or is not unique"):
            framework.get_unique_variable("x")
        with pytest.raises(TypeError, match="is not a list or a tuple"):
            framework.get_variables_to_restore("a")


def test_values_from_a_checkpoint(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("a", initializer=2.0)
        session.run(v1.global_variables_initializer())
        path = v1.train.Saver().save(session, str(tmp_path / "model"))
    with tf.Graph().as_default(), v1.Session() as session:
        a, b = v1.get_variable("a", initializer=0.0), v1.get_variable("b", initializer=5.0)
        session.run(v1.global_variables_initializer())
        framework.assign_from_checkpoint_fn(path, [a, b], ignore_missing_vars=True)(session)
        assert session.run([a, b]) == [2.0, 5.0]
        assign, feeds = framework.assign_from_checkpoint(path, {"a": b})
        session.run(assign, feeds)
        framework.assign_from_values_fn({"a": np.array(9.0)})(session)
        assert session.run([a, b]) == [9.0, 2.0]
        assert framework.assign_from_checkpoint_fn(path, [b], ignore_missing_vars=True) is None
        with pytest.raises(ValueError, match=r"missing variable \[b\]"):
            framework.assign_from_checkpoint(path, [b])
