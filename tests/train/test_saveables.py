"""Saveable objects: a program's own beside variables and tables, and what cannot be saved."""

import pytest

import reflow as tf
from reflow.train import saveables

v1 = tf.compat.v1


class Doubled(saveables.SaveableObject):
    """Saves twice a variable's value."""

    def __init__(self, variable, name):
        super().__init__(variable, [saveables.SaveSpec(variable.value() * 2.0, "", name, tf.float32)], name)

    def restore(self, restored_tensors, restored_shapes):
        return self.op.assign(restored_tensors[0] / 2.0, read_value=False)


def test_a_saver_takes_objects_that_save_themselves(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=3.0)
        table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="words")
        saver = v1.train.Saver([Doubled(v, "twice"), table])
        session.run([v.initializer, table.insert(["a"], tf.constant([7], tf.int64))])
        path = saver.save(session, str(tmp_path / "x"), write_meta_graph=False)
        assert tf.train.load_variable(path, "twice") == 6.0
        assert sorted(n for n, _ in tf.train.list_variables(path)) == ["twice", "words-keys", "words-values"]
        session.run([v.assign(0.0), table.remove(["a"])])
        saver.restore(session, path)
        assert session.run([v, table.lookup(["a"])]) == [3.0, [7]]


def test_a_saver_of_eager_variables(tmp_path):
    v = tf.Variable([1.0, 2.0], name="v")
    path = v1.train.Saver([v]).save(None, str(tmp_path / "x"))
    v.assign([0.0, 0.0])
    v1.train.Saver({"v": v}).restore(None, path)
    assert v.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(RuntimeError, match="`var_list` must specify"):
        v1.train.Saver()


def test_what_cannot_be_saved_is_named():
    with tf.Graph().as_default():
        v = v1.get_variable("v", [])
        with pytest.raises(TypeError, match="not a Variable"):
            v1.train.Saver([v.value()])
        with pytest.raises(ValueError, match="two variables have the same name: v"):
            v1.train.Saver([v, v])
        with pytest.raises(ValueError, match="same saveable will be restored with two names"):
            v1.train.Saver({"a": v, "b": v})
        with pytest.raises(ValueError, match="build cannot be deferred"):
            v1.train.Saver([v], defer_build=True)
