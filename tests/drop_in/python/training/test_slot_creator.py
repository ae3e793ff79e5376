"""Slots in graphs: names, values, parts of partitioned variables. The expectations are TensorFlow's."""

import reflow as tf
from reflow.drop_in.python.training import slot_creator

v1 = tf.compat.v1


def test_slots_of_variables_and_tensors():
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("var", initializer=[1.0, 2.5])
        c = tf.constant([3.0, 4.0], name="const")
        slots = [
            slot_creator.create_slot(v, v.initialized_value() * 2.0, name="slot"),
            slot_creator.create_zeros_slot(v, name="zeros", dtype=tf.float64),
            slot_creator.create_slot_with_initializer(
                c, v1.ones_initializer(), tf.TensorShape([3]), tf.float32, name="ones"
            ),
        ]
        session.run(v1.global_variables_initializer())
        assert [s.op.name for s in slots] == ["var/slot", "var/zeros", "const/ones"]
        assert [s.dtype for s in slots] == [tf.float32, tf.float64, tf.float32]
        assert [value.tolist() for value in session.run(slots)] == [[2.0, 5.0], [0.0, 0.0], [1.0, 1.0, 1.0]]
        assert slots[0] not in v1.trainable_variables()


def test_a_slot_of_unknown_shape():
    with tf.Graph().as_default(), v1.Session() as session:
        first = v1.placeholder_with_default([1.0, 2.0, 3.0], None)
        v = v1.get_variable("v", initializer=first, validate_shape=False)
        slot = slot_creator.create_zeros_slot(v, name="slot")
        session.run([v.initializer])
        session.run(slot.initializer)
        assert session.run(slot).tolist() == [0.0, 0.0, 0.0]


def test_parts_of_a_partitioned_variable():
    with tf.Graph().as_default():
        with v1.variable_scope("layer", partitioner=v1.fixed_size_partitioner(2)):
            parts = list(v1.get_variable("w", [4, 2]))
        infos = [slot_creator.create_zeros_slot(part, name="slot")._get_save_slice_info() for part in parts]
        scalar = slot_creator.create_slot(parts[1], tf.constant(1.0), name="scalar")
    assert [info.spec for info in infos] == ["4 2 0,2:0,2", "4 2 2,2:0,2"]
    assert infos[1].full_name == "layer/w/slot"
    assert scalar._get_save_slice_info() is None
