"""Restoring: before creation, into other shapes, of missing and damaged values."""

import copy
import gc
import logging
import pathlib
import time
import weakref

import numpy as np
import pytest

from reflow.core import errors
from reflow.eager.module import Module
from reflow.eager.variables import Variable
from reflow.tracking.trackable import AutoTrackable, Trackable
from reflow.train import bundle, object_graph, restore
from reflow.train.checkpoint import Checkpoint
from tests.train.objects import VALUE, keys_of

ROOT = pathlib.Path(__file__).parents[2]


class Slots(Trackable):
    """An optimizer with slot variables, as TensorFlow's own were before Keras 3."""

    def __init__(self):
        self.slots = {}

    def get_slot_names(self):
        return ["m", "v"]

    def get_slot(self, variable, name):
        return self.slots[name, id(variable)]

    def _create_or_restore_slot_variable(self, slot_variable_position, variable, slot_name):
        slot = self.slots[slot_name, id(variable)] = Variable(np.zeros(variable.shape, np.float32))
        return slot


@pytest.fixture
def saved(tmp_path):
    """The path of a checkpoint with v=[1, 2] and items=[3]."""
    return Checkpoint(v=Variable([1.0, 2.0]), items=[Variable(3)]).save(tmp_path / "ckpt")


def test_restore_before_creation(saved):
    checkpoint = Checkpoint()
    status = checkpoint.restore(saved)
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\).v: "):
        status.assert_consumed()
    status.assert_existing_objects_matched()
    checkpoint.v = Variable([0.0, 0.0])
    assert checkpoint.v.numpy().tolist() == [1.0, 2.0]
    checkpoint.items = []
    checkpoint.items.append(Variable(0))
    assert checkpoint.items[0].numpy() == 3
    status.assert_consumed()


def test_the_latest_restore_wins(tmp_path):
    first = Checkpoint(v=Variable(1.0)).write(tmp_path / "a")
    second = Checkpoint(v=Variable(2.0)).write(tmp_path / "b")
    checkpoint = Checkpoint()
    statuses = [checkpoint.read(path) for path in (first, second)]
    checkpoint.v = Variable(0.0)
    assert checkpoint.v.numpy() == 2.0
    for status in statuses:
        status.assert_consumed()


def test_a_value_assigned_after_restore_is_kept(saved):
    checkpoint = Checkpoint(v=Variable([0.0, 0.0]))
    checkpoint.restore(saved).expect_partial()
    checkpoint.v.assign([5.0, 5.0])
    holder = Module()
    holder.v = checkpoint.v
    checkpoint.other = holder
    assert checkpoint.v.numpy().tolist() == [5.0, 5.0]


def test_unmatched_objects(saved):
    status = Checkpoint(w=Variable(1.0)).restore(saved).expect_partial()
    words = "Found 1 Python objects that were not bound to checkpointed values.*Showing 1 of 1"
    with pytest.raises(AssertionError, match=words):
        status.assert_consumed()
    with pytest.raises(AssertionError, match="Found 1 Python objects"):
        status.assert_existing_objects_matched()
    assert status.assert_nontrivial_match() is status  # the save counter
    nothing = Checkpoint(w=Variable(1.0)).read(saved).expect_partial()
    with pytest.raises(AssertionError, match="Nothing except the root object matched a checkpointed value"):
        nothing.assert_nontrivial_match()
    with pytest.raises(AssertionError, match="Nothing to load. No dependencies have been added to"):
        Checkpoint().read(saved).expect_partial().assert_nontrivial_match()
    assert status.run_restore_ops() is None
    assert status.initialize_or_restore() is None


def test_restore_none():
    status = Checkpoint(v=Variable(1.0)).restore(None)
    for check in (status.assert_consumed, status.assert_existing_objects_matched, status.assert_nontrivial_match):
        with pytest.raises(
            AssertionError, match=r"No checkpoint specified \(save_path=None\); nothing is being restored."
        ):
            check()
    with pytest.raises(AssertionError, match="no restore ops are available"):
        status.run_restore_ops()
    assert status.initialize_or_restore() is None
    assert status.expect_partial() is status


def test_another_shape(saved):
    other = Variable(7)
    checkpoint = Checkpoint(v=Variable([0.0, 0.0, 0.0], name="vec"), items=[other])
    words = (
        r"Received incompatible tensor with shape \(2,\) when attempting to restore variable with shape \(3,\) and "
        "name vec:0"
    )
    with pytest.raises(ValueError, match=words):
        checkpoint.restore(saved)
    assert other.numpy() == 7, "nothing is assigned unless everything fits"
    unknown = Variable([0.0], shape=[None])
    Checkpoint(v=unknown).restore(saved).expect_partial()
    assert unknown.numpy().tolist() == [1.0, 2.0]


def test_another_dtype(saved):
    words = f"tensor_name = v{VALUE}; expected dtype double does not equal original dtype float"
    with pytest.raises(errors.InvalidArgumentError, match=words):
        Checkpoint(v=Variable(np.zeros(2))).restore(saved)


def test_a_missing_checkpoint(tmp_path):
    path = tmp_path / "nope"
    missing = f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {path}"
    with pytest.raises(errors.NotFoundError) as e:
        Checkpoint().restore(path)
    assert e.value.message == (
        f"Error when restoring from checkpoint or SavedModel at {path}: {missing}\nPlease double-check that the path "
        "is correct. You "
        "may be missing the checkpoint suffix (e.g. the '-1' in 'path/to/ckpt-1').")
    with pytest.raises(errors.NotFoundError) as e:
        Checkpoint().read(path)
    assert e.value.message == missing


def test_unused_attributes(tmp_path):
    path = Checkpoint(x=Variable(1.0)).write(tmp_path / "x")
    status = Checkpoint(x=Module()).read(path).expect_partial()
    with pytest.raises(AssertionError, match=r"Unused attributes in these objects.*\n\(root\).x .*VARIABLE_VALUE"):
        status.assert_consumed()


def test_a_saved_models_folder(tmp_path):
    (tmp_path / "saved_model.pb").write_bytes(b"")
    Checkpoint(v=Variable(4.0)).write(tmp_path / "variables" / "variables")
    v = Variable(0.0)
    Checkpoint(v=v).restore(tmp_path).expect_partial()
    assert v.numpy() == 4.0


def test_shared_objects_that_are_no_longer_shared(tmp_path, caplog):
    shared = Variable(1.0)
    path = Checkpoint(a=shared, b=shared).write(tmp_path / "x")
    one, two = Variable(0.0), Variable(0.0)
    checkpoint = Checkpoint()
    checkpoint.read(path).expect_partial()
    with caplog.at_level(logging.WARNING, "tensorflow"):
        checkpoint.a, checkpoint.b = one, two
    assert one.numpy() == 1.0
    assert "Inconsistent references when loading the checkpoint" in caplog.text


def test_warning_of_unused_values(saved, caplog):
    with caplog.at_level(logging.WARNING, "tensorflow"):
        Checkpoint(v=Variable([0.0, 0.0])).restore(saved).expect_partial()
        gc.collect()
        assert caplog.text == ""
        Checkpoint(v=Variable([0.0, 0.0])).restore(saved)
        gc.collect()
    assert "is being deleted with unrestored values" in caplog.text
    assert "Value in checkpoint could not be found in the restored object: (root).items.0" in caplog.text


def test_an_unfinished_restore_keeps_nothing_alive(saved):
    checkpoint = Checkpoint(v=Variable([0.0, 0.0]))
    checkpoint.restore(saved).expect_partial()
    gone = weakref.ref(checkpoint.v), weakref.ref(checkpoint)
    gc.disable()
    try:
        del checkpoint
        assert [r() for r in gone] == [None, None]
    finally:
        gc.enable()


def test_copies_of_half_restored_objects(saved):
    checkpoint = Checkpoint()
    checkpoint.restore(saved).expect_partial()
    copied = copy.deepcopy(checkpoint)
    copied.v = Variable([0.0, 0.0])
    assert copied.v.numpy().tolist() == [1.0, 2.0]
    path = copied.save(f"{saved}-copy")
    assert "v" + VALUE in keys_of(path)


def test_checkpoints_of_tensorflow_1(tmp_path, caplog):
    bundle.write(tmp_path / "v1", {"scope/w": np.float32([1, 2]), "global_step": np.int64(5)})
    w, step = Variable([0.0, 0.0], name="scope/w"), Variable(np.int64(0), name="global_step")
    with caplog.at_level(logging.WARNING, "tensorflow"):
        status = Checkpoint(w=w, items=[step]).restore(tmp_path / "v1")
    assert "name-based tf.train.Saver checkpoint" in caplog.text
    assert (w.numpy().tolist(), step.numpy()) == ([1.0, 2.0], 5)
    assert status.assert_consumed() is status
    assert status.expect_partial() is status
    with pytest.raises(AssertionError, match="Some objects had attributes which were not restored"):
        Checkpoint(x=Variable(1.0, name="other")).restore(tmp_path / "v1").assert_existing_objects_matched()
    with pytest.raises(ValueError, match="Received incompatible tensor"):
        Checkpoint(w=Variable([0.0], name="scope/w")).restore(tmp_path / "v1")


@pytest.mark.parametrize("graph", [b"\xff\xff", b"", np.float32(1), np.array([b""], object)])
def test_damaged_object_graphs(tmp_path, graph):
    value = np.array(graph, object) if isinstance(graph, bytes) else graph
    bundle.write(tmp_path / "x", {object_graph.OBJECT_GRAPH_KEY: value})
    with pytest.raises(errors.DataLossError, match="corrupt object graph in checkpoint"):
        Checkpoint().restore(tmp_path / "x")


def test_a_graph_that_names_missing_values(tmp_path):
    node = object_graph.ObjectNode(attributes=[("VARIABLE_VALUE", "", "gone" + VALUE)])
    nodes = [object_graph.ObjectNode([("v", 1)]), node]
    bundle.write(tmp_path / "x", {object_graph.OBJECT_GRAPH_KEY: np.array(object_graph.build(nodes), object)})
    with pytest.raises(errors.NotFoundError, match="Key gone/.ATTRIBUTES/VARIABLE_VALUE not found in checkpoint"):
        Checkpoint(v=Variable(1.0)).read(tmp_path / "x")


def test_registered_savers_are_not_dropped_silently(tmp_path):
    nodes = [object_graph.ObjectNode([("v", 1)]), object_graph.ObjectNode(registered_saver=("Custom.Saver", "v"))]
    bundle.write(tmp_path / "x", {object_graph.OBJECT_GRAPH_KEY: np.array(object_graph.build(nodes), object)})
    status = Checkpoint(v=Module()).read(tmp_path / "x").expect_partial()
    with pytest.raises(AssertionError, match="registered saver Custom.Saver"):
        status.assert_consumed()


def test_many_objects_built_after_a_restore(tmp_path):
    """The index is parsed once, and the files are let go of when everything is restored."""
    module = Module()
    module.items = [Variable(float(i)) for i in range(300)]
    path = Checkpoint(module).save(tmp_path / "x")
    later = Module()
    status = Checkpoint(later).restore(path)
    later.items = []
    start = time.perf_counter()
    for _ in range(300):
        later.items.append(Variable(-1.0))
    assert time.perf_counter() - start < 2.0
    assert [v.numpy() for v in later.items] == list(range(300))
    status.assert_consumed()
    assert not restore._recent


def test_a_deep_chain(tmp_path):
    def chain():
        root = node = AutoTrackable()
        for _ in range(3000):
            node.next = AutoTrackable()
            node = node.next
        node.v = Variable(1.0)
        return root, node.v

    root, v = chain()
    path = Checkpoint(root).write(tmp_path / "x")
    v.assign(2.0)
    Checkpoint(root).read(path).assert_consumed()
    assert v.numpy() == 1.0
