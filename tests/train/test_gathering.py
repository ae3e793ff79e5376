"""What a save writes: tensors, saveable objects, callables."""

import reflow as tf
from reflow.tracking.trackable import ObjectGraphView, Trackable
from reflow.train import gathering
from reflow.train.saveables import Callable, SaveableObject, SaveSpec
from tests.train.objects import graph_of, keys_of


class Both(SaveableObject):
    def __init__(self, owner, name):
        self.owner = owner
        super().__init__(owner, [SaveSpec(owner.a, "", f"{name}-a"), SaveSpec(owner.b, "", f"{name}-b")], name)

    def restore(self, restored_tensors, restored_shapes):
        self.owner.a.assign(restored_tensors[0])
        self.owner.b.assign(restored_tensors[1])


class Old(Trackable):
    """Saved by a saveable object."""

    def __init__(self, a, b):
        self.a, self.b = tf.Variable(a), tf.Variable(b)

    def _gather_saveables_for_checkpoint(self):
        return {"both": lambda name: Both(self, name)}


@gathering.legacy_saveable_name("both")
class New(Trackable):
    """The same object, which now gives tensors; its checkpoints stay as they were."""

    def __init__(self, a, b):
        self.a, self.b = tf.Variable(a), tf.Variable(b)

    def _serialize_to_tensors(self):
        return {"-a": self.a, "-b": self.b}

    def _restore_from_tensors(self, restored_tensors):
        self.a.assign(restored_tensors["-a"])
        self.b.assign(restored_tensors["-b"])


def test_saveable_objects_and_tensors_read_each_others_checkpoints(tmp_path):
    old = tf.train.Checkpoint(x=Old(1.0, 2.0)).write(tmp_path / "old")
    new = tf.train.Checkpoint(x=New(1.0, 2.0)).write(tmp_path / "new")
    assert keys_of(old) == keys_of(new) == ["x/.ATTRIBUTES/both-a", "x/.ATTRIBUTES/both-b"]
    assert graph_of(old)[1].attributes == graph_of(new)[1].attributes == [("both", "", "x/.ATTRIBUTES/both")]
    for path in (old, new):
        for x in (Old(0.0, 0.0), New(0.0, 0.0)):
            tf.train.Checkpoint(x=x).read(path).assert_consumed()
            assert (x.a.numpy(), x.b.numpy()) == (1.0, 2.0)


def test_forced_conversion_writes_each_tensor_as_an_attribute(tmp_path):
    gathering.force_checkpoint_conversion()
    try:
        path = tf.train.Checkpoint(x=New(1.0, 2.0)).write(tmp_path / "new")
    finally:
        gathering.force_checkpoint_conversion(False)
    assert keys_of(path) == ["x/.ATTRIBUTES/-a", "x/.ATTRIBUTES/-b"]
    old = Old(0.0, 0.0)
    tf.train.Checkpoint(x=old).read(path).assert_consumed()
    assert old.b.numpy() == 2.0


def test_a_callable_is_called_at_every_save(tmp_path):
    class Counting(Trackable):
        def __init__(self):
            self.saves = 0

        def _serialize_to_tensors(self):
            return {"saves": Callable(self.count, tf.int32, "")}

        def count(self):
            self.saves += 1
            return tf.constant(self.saves)

    checkpoint = tf.train.Checkpoint(c=Counting())
    paths = [checkpoint.write(tmp_path / str(i)) for i in range(2)]
    assert [tf.train.load_variable(p, "c/.ATTRIBUTES/saves") for p in paths] == [1, 2]


def test_other_objects_may_give_the_values():
    root, copy = tf.Module(), tf.Variable(2.0)
    root.v = tf.Variable(1.0)
    gathered = gathering.serialize(ObjectGraphView(root), instead=lambda obj: copy if obj is root.v else obj)
    (tensors,) = gathering.by_object(gathered).values()
    assert [t.numpy() for t in tensors.values()] == [2.0]


def test_a_wrapped_variable_is_saved_as_the_variable_itself(tmp_path):
    class Wrapper(tf.Variable):
        """Delegates saving to the variable that it wraps, as Keras 2's variables of mixed precision do."""

        def __init__(self, wrapped):
            super().__init__(0.0)
            self._wrapped = wrapped

        def _gather_saveables_for_checkpoint(self):
            return self._wrapped._gather_saveables_for_checkpoint()

    wrapped = tf.Variable(3.0)
    checkpoint = tf.train.Checkpoint(v=Wrapper(wrapped))
    path = checkpoint.write(tmp_path / "x")
    assert tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE") == 3.0
    wrapped.assign(4.0)
    checkpoint.read(path).assert_consumed()
    assert wrapped.numpy() == 3.0


def test_the_most_derived_class_chooses_how_to_save():
    class ByTensors(tf.Variable):
        def _serialize_to_tensors(self):
            return {"doubled": 2 * self.value()}

    assert tf.Module()._gather_saveables_for_checkpoint() == {}
    v = ByTensors(1.0)
    assert v._gather_saveables_for_checkpoint()["VARIABLE_VALUE"] is v
    root = tf.Module()
    root.v = v
    gathered = gathering.serialize(ObjectGraphView(root))
    assert [float(t) for t in gathered.values.values()] == [2.0]
