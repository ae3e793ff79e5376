"""Tensors to and from files."""

import reflow as tf
from reflow.drop_in.python.checkpoint.functional_saver import MultiDeviceSaver
from reflow.train.saveables import saveables_of


def test_saveables_in_eager_code_and_in_a_graph(tmp_path):
    v = tf.Variable(2.0)
    saver = MultiDeviceSaver.from_saveables(saveables_of(v, "x"))
    saver.save(str(tmp_path / "x"))
    v.assign(1.0)
    saver.restore(str(tmp_path / "x"))
    assert v.numpy() == 2.0
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        w = tf.Variable(0.0)
        session.run(list(MultiDeviceSaver.from_saveables(saveables_of(w, "x")).restore(str(tmp_path / "x")).values()))
        assert session.run(w) == 2.0
