"""One evaluation of a checkpoint in a monitored session."""

import reflow as tf
from reflow.drop_in.python.training.evaluation import _evaluate_once, _get_or_create_eval_step, _StopAfterNEvalsHook


def test_batches_are_counted_and_final_ops_given(tmp_path):
    with tf.Graph().as_default():
        v = tf.compat.v1.get_variable("v", initializer=3.0)
        with tf.compat.v1.Session() as session:
            session.run(v.assign(5.0))
            path = tf.compat.v1.train.Saver().save(session, str(tmp_path / "model"))
    for ops in (lambda op: op, lambda op: [op], lambda op: {"op": op}):
        with tf.Graph().as_default():
            v = tf.compat.v1.get_variable("v", initializer=3.0)
            total = tf.compat.v1.Variable(0.0, collections=[tf.compat.v1.GraphKeys.LOCAL_VARIABLES])
            step = _get_or_create_eval_step()
            assert _get_or_create_eval_step() is step and step.dtype.base_dtype == tf.int64
            final = _evaluate_once(
                path, eval_ops=ops(total.assign_add(v)), final_ops=[total, step], hooks=[_StopAfterNEvalsHook(4)]
            )
            assert [float(x) for x in final] == [20.0, 4.0]


def test_final_ops_only():
    with tf.Graph().as_default():
        v = tf.compat.v1.get_variable("v", initializer=3.0)
        assert _evaluate_once(None, final_ops=v * 2.0) == 6.0
