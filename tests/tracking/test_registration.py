"""Registered classes and savers, in checkpoints and SavedModels."""

import pytest
from google.protobuf import wrappers_pb2

import reflow as tf
from reflow.tracking import registration
from reflow.tracking.trackable import AutoTrackable


@registration.register_serializable(package="ReflowTest")
class Named(AutoTrackable):
    def __init__(self, name="none"):
        self.name, self.v = name, tf.Variable(1.0)

    def _serialize_to_proto(self, **kwargs):
        return wrappers_pb2.StringValue(value=self.name)

    @classmethod
    def _deserialize_from_proto(cls, proto, **kwargs):
        value = wrappers_pb2.StringValue()
        proto.Unpack(value)
        return cls(value.value)


class Pair(AutoTrackable):
    """Two numbers that are saved as one tensor."""

    def __init__(self, a, b):
        self.numbers = [a, b]


def _save(trackables, file_prefix):
    names = [f"{name}/both" for name in trackables]
    tensors = [tf.constant(pair.numbers) for pair in trackables.values()]
    tf.raw_ops.SaveV2(prefix=file_prefix, tensor_names=names, shape_and_slices=[""] * len(names), tensors=tensors)
    return file_prefix


def _restore(trackables, merged_prefix):
    for name, pair in trackables.items():
        (both,) = tf.raw_ops.RestoreV2(
            prefix=merged_prefix, tensor_names=[f"{name}/both"], shape_and_slices=[""], dtypes=[tf.float32]
        )
        pair.numbers = both.numpy().tolist()


registration.register_checkpoint_saver(
    package="ReflowTest", name="Pair", predicate=lambda obj: isinstance(obj, Pair), save_fn=_save, restore_fn=_restore
)


def test_a_registered_class_comes_back_as_itself(tmp_path):
    module = Named("mine")
    module.v.assign(5.0)
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert type(loaded) is Named and loaded.name == "mine" and loaded.v.numpy() == 5.0


def test_a_registered_saver_writes_and_reads(tmp_path):
    path = tf.train.Checkpoint(pair=Pair(1.0, 2.0), v=tf.Variable(3.0)).write(tmp_path / "x")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.data-00000-of-00002", "x.data-00001-of-00002", "x.index"]
    pair, v = Pair(0.0, 0.0), tf.Variable(0.0)
    tf.train.Checkpoint(pair=pair, v=v).read(path).assert_consumed()
    assert pair.numbers == [1.0, 2.0] and v.numpy() == 3.0
    with pytest.raises(ValueError, match="saver cannot be used"):
        tf.train.Checkpoint(pair=AutoTrackable()).read(path)


def test_wrong_registrations_are_refused():
    with pytest.raises(ValueError, match="already been registered"):
        registration.register_serializable(package="ReflowTest")(Named)
    with pytest.raises(ValueError, match="Invalid registered"):
        registration.register_serializable(package="a b", name="c")(Named)
    with pytest.raises(TypeError, match="must be a class"):
        registration.register_serializable()(lambda: 1)
    with pytest.raises(TypeError, match="save_fn must be callable"):
        registration.register_checkpoint_saver(name="x", predicate=lambda x: False)
    with pytest.raises(LookupError, match="does not have name 'No.Such'"):
        registration.get_save_function("No.Such")
