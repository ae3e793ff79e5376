"""Handing values over: names of keys, parts of tensors, values by name."""

import reflow as tf
from reflow.train import bundle, restored_values

v1 = tf.compat.v1


def test_names_of_keys():
    key = "layer/a.Sb/.ATTRIBUTES/x.Sy"
    assert restored_values.extract_saveable_name(key) == "layer/a.Sb/.ATTRIBUTES/"
    assert restored_values.extract_local_name(key) == "x/y"


def test_a_part_of_a_stored_tensor(tmp_path):
    path = tf.train.Checkpoint(v=tf.Variable(tf.range(6))).write(tmp_path / "x")
    with bundle.Reader(path) as reader:
        assert restored_values.tensor_at(reader, "v/.ATTRIBUTES/VARIABLE_VALUE", "6 2,3").numpy().tolist() == [2, 3, 4]


def test_names_of_variables_match_objects_and_the_other_way_round(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        v = tf.Variable(2.0, name="v")
        session.run(v.initializer)
        by_name = v1.train.Saver([v]).save(session, str(tmp_path / "saver"))
    root = tf.Module()
    checkpoint = tf.train.Checkpoint(root)
    status = checkpoint.restore(by_name)
    root.v = tf.Variable(0.0, name="v")  # also a variable that comes later
    assert root.v.numpy() == 2.0
    status.assert_consumed()
    root.v.assign(3.0)
    by_object = checkpoint.write(tmp_path / "object")
    with tf.Graph().as_default(), v1.Session() as session:
        v = tf.Variable(0.0, name="v")
        v1.train.Saver([v]).restore(session, by_object)
        assert session.run(v) == 3.0
        tf.train.Checkpoint(v=v).read(by_name).assert_consumed().run_restore_ops(session)
        assert session.run(v) == 2.0
