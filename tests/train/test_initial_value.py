"""Slot variables whose first value is the stored one."""

import types

import reflow as tf

Callable = tf.__internal__.tracking.CheckpointInitialValueCallable


class Optimizer(tf.__internal__.tracking.Trackable):
    """Makes a slot variable when a restore asks for it, as optimizers of Keras 2 do."""

    def __init__(self):
        self.slots, self.shapes, self.parts = {}, [], []

    def _create_or_restore_slot_variable(self, slot_variable_position, slot_name, variable):
        initial = Callable(checkpoint_position=slot_variable_position)
        self.shapes.append(slot_variable_position.value_shape())
        self.parts.append(initial(shard_info=types.SimpleNamespace(offset=[1], shape=[1])).numpy().tolist())
        assert initial.checkpoint_position is slot_variable_position and initial.restore_uid
        self.slots[slot_name] = tf.Variable(initial)
        return self.slots[slot_name]

    def get_slot_names(self):
        return list(self.slots)

    def get_slot(self, variable, name):
        return self.slots[name] if variable is self.of else None


def test_a_slot_is_made_with_the_stored_value(tmp_path):
    saved, v = Optimizer(), tf.Variable([1.0, 2.0])
    saved.of = v
    saved.slots["m"] = tf.Variable([3.0, 4.0])
    path = tf.train.Checkpoint(v=v, optimizer=saved).save(str(tmp_path / "c"))
    optimizer = Optimizer()
    tf.train.Checkpoint(v=tf.Variable([0.0, 0.0]), optimizer=optimizer).restore(path)
    assert optimizer.slots["m"].numpy().tolist() == [3.0, 4.0]
    assert optimizer.shapes == [tf.TensorShape([2])] and optimizer.parts == [[4.0]]
