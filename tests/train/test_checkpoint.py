"""`tf.train.Checkpoint` and its manager: TensorFlow's checkpoints restore, and ours are the same."""

import copy
import gc
import logging
import os
import pathlib
import shutil
import time
import types
import weakref

import numpy as np
import pytest

from reflow.core import errors
from reflow.core.context import swapped
from reflow.eager.module import Module
from reflow.eager.variables import Variable
from reflow.tracking.trackable import AutoTrackable, Trackable
from reflow.train import bundle, checkpoint_reader, checkpoint_state, object_graph, restore
from reflow.train.checkpoint import Checkpoint, CheckpointOptions
from reflow.train.manager import CheckpointManager
from reflow.train.python_state import PythonState
from tools.golden import checkpoint as golden

ROOT = pathlib.Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"

TF = types.SimpleNamespace(Module=Module, Variable=Variable, train=types.SimpleNamespace(Checkpoint=Checkpoint))
VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"


def graph_of(prefix) -> list[object_graph.ObjectNode]:
    return object_graph.parse(bundle.Reader(prefix).get(object_graph.OBJECT_GRAPH_KEY).item())


def keys_of(prefix) -> list[str]:
    return [key for key in bundle.Reader(prefix) if key != object_graph.OBJECT_GRAPH_KEY]


# ---------------------------------------------------------------- TensorFlow's files


@pytest.mark.parametrize("case", golden.CASES)
def test_tensorflows_checkpoint_restores(case):
    checkpoint = golden.CASES[case](TF)
    assert len(golden.differing(checkpoint)) > 10
    checkpoint.restore(checkpoint_state.latest_checkpoint(GOLDEN / "checkpoint" / case)).assert_consumed()
    assert golden.differing(checkpoint) == []
    assert checkpoint.save_counter.numpy() == 2


@pytest.mark.parametrize("case", golden.CASES)
def test_our_checkpoint_is_tensorflows(case, tmp_path):
    """Same keys, shapes, values; the same object graph, byte for byte; the same `checkpoint` file."""
    golden.save_all(TF, tmp_path)
    ours, theirs = bundle.Reader(tmp_path / case / "ckpt-2"), bundle.Reader(GOLDEN / "checkpoint" / case / "ckpt-2")
    assert ours.keys() == theirs.keys()
    for key in ours:
        assert ours.dtype_enum(key) == theirs.dtype_enum(key)
        assert np.array_equal(ours.get(key), theirs.get(key)), key
    assert (tmp_path / case / "checkpoint").read_text() == (GOLDEN / "checkpoint" / case / "checkpoint").read_text()


@pytest.mark.parametrize("case", golden.CASES)
def test_tensorflows_checkpoint_restores_into_objects_made_later(case):
    empty = Checkpoint(Module()) if case == "root" else Checkpoint()
    status = empty.restore(GOLDEN / "checkpoint" / case / "ckpt-2")
    full = golden.CASES[case](TF)
    root, target = (full.root, empty.root) if case == "root" else (full, empty)
    for name, child in root._trackable_children().items():
        if name != "save_counter":
            setattr(target, name, child)
    if case == "root":
        target.step, target.extra = full.step, full.extra
    assert golden.differing(full) == []
    status.assert_consumed()


# ---------------------------------------------------------------- saving


def test_keys_and_graph(tmp_path):
    module = Module()
    module.b, module.a = Variable(1.0, name="bee"), [Variable(2.0), "text"]
    path = Checkpoint(z=Variable(3), m=module).save(tmp_path / "ckpt")
    assert path == str(tmp_path / "ckpt-1")
    assert keys_of(path) == ["m/a/0" + VALUE, "m/b" + VALUE, "save_counter" + VALUE, "z" + VALUE]
    nodes = graph_of(path)
    assert nodes[0].children == [("m", 1), ("z", 2), ("save_counter", 3)]
    assert nodes[1].children == [("b", 4), ("a", 5)]
    assert nodes[4].attributes == [("VARIABLE_VALUE", "bee", "m/b" + VALUE)]


def test_root_and_attached(tmp_path):
    module = Module()
    module.a = Variable(1.0)
    path = Checkpoint(module, step=Variable(1)).save(tmp_path / "ckpt")
    assert graph_of(path)[0].children == [("a", 1), ("root", 0), ("step", 2), ("save_counter", 3)]
    assert keys_of(path) == ["a" + VALUE, "save_counter" + VALUE, "step" + VALUE]
    loaded, step = Module(), Variable(0)
    checkpoint = Checkpoint(root=loaded, step=step)
    status = checkpoint.restore(path)
    assert step.numpy() == 1
    assert checkpoint.save_counter.numpy() == 1
    loaded.a = Variable(0.0)
    status.assert_consumed()
    assert "save_counter" not in loaded._trackable_children()


def test_what_a_checkpoint_may_be_made_of():
    module = Module()
    module.a = Variable(1.0)
    Checkpoint(module, a=module.a)
    Checkpoint(weakref.ref(module))
    Checkpoint(x=[3], y={"a": Variable(1.0)}, z=(Variable(1.0),))
    with pytest.raises(ValueError, match="Cannot create a Checkpoint with keyword argument a if root.a already exists"):
        Checkpoint(module, a=Variable(2.0))
    with pytest.raises(ValueError, match="`Checkpoint` was expecting x to be a trackable object .* got 3"):
        Checkpoint(x=3)
    with pytest.raises(ValueError, match="expecting root to be a trackable object"):
        Checkpoint(3)


def test_write_and_read(tmp_path):
    v = Variable(1.0)
    checkpoint = Checkpoint(v=v)
    assert checkpoint.write(tmp_path / "deep" / "x") == str(tmp_path / "deep" / "x")
    assert keys_of(tmp_path / "deep" / "x") == ["v" + VALUE]
    assert not (tmp_path / "deep" / "checkpoint").exists()
    v.assign(2.0)
    checkpoint.read(tmp_path / "deep" / "x").assert_consumed()
    assert v.numpy() == 1.0


def test_relative_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    checkpoint = Checkpoint(v=Variable(1.0))
    assert checkpoint.save("ckpt") == "ckpt-1"
    assert checkpoint.save("sub/ckpt") == "sub/ckpt-2"
    assert (tmp_path / "checkpoint").read_text().startswith('model_checkpoint_path: "ckpt-1"')
    assert (tmp_path / "sub" / "checkpoint").read_text().startswith('model_checkpoint_path: "ckpt-2"')
    shutil.move(tmp_path / "sub", tmp_path / "moved")
    checkpoint.restore(checkpoint_state.latest_checkpoint(tmp_path / "moved")).assert_consumed()


def test_strings_and_empty_values(tmp_path):
    checkpoint = Checkpoint(s=Variable(["a", "", "\0b"]), one=Variable("x"), none=Variable(np.zeros([0, 3], np.float32)))
    path = checkpoint.save(tmp_path / "c")
    checkpoint.s.assign(["", "", ""])
    checkpoint.one.assign("")
    checkpoint.restore(path).assert_consumed()
    assert checkpoint.s.numpy().tolist() == [b"a", b"", b"\0b"]
    assert checkpoint.one.numpy() == b"x"
    assert checkpoint.none.shape == (0, 3)


def test_dirty_lists_are_refused_and_nothing_is_written(tmp_path):
    module = Module()
    module.items = [Variable(1.0)]
    module.items[0] = Variable(2.0)
    with pytest.raises(ValueError, match="Unable to save the object ListWrapper"):
        Checkpoint(module).write(tmp_path / "x")
    assert os.listdir(tmp_path) == []


def test_custom_values(tmp_path):
    class Table(Trackable):
        _LEGACY_SAVEABLE_NAME = "table"

        def __init__(self, n):
            self.n = n

        def _serialize_to_tensors(self):
            return {"table-keys": np.array([self.n]), "table-values": Variable(self.n)}

        def _restore_from_tensors(self, tensors):
            self.n = int(tensors["table-keys"].numpy()[0] + tensors["table-values"].numpy())

    class Odd(Trackable):
        def _serialize_to_tensors(self):
            return {"a/b": Variable(1.5)}

        def _restore_from_tensors(self, restored_tensors):
            self.got = restored_tensors["a/b"].numpy()

    checkpoint = Checkpoint(table=Table(3), odd=Odd())
    path = checkpoint.write(tmp_path / "x")
    assert keys_of(path) == ["odd/.ATTRIBUTES/a.Sb", "table/.ATTRIBUTES/table-keys", "table/.ATTRIBUTES/table-values"]
    assert graph_of(path)[2].attributes == [("table", "", "table/.ATTRIBUTES/table")]  # as TensorFlow's hash tables
    checkpoint.read(path).assert_consumed()
    assert checkpoint.table.n == 6
    assert checkpoint.odd.got == 1.5


def test_python_state(tmp_path):
    class Counter(PythonState):
        def __init__(self, n):
            self.n = n

        def serialize(self):
            return b"%d" % self.n

        def deserialize(self, string_value):
            self.n = int(string_value)

    path = Checkpoint(c=Counter(7)).save(tmp_path / "x")
    assert "c/.ATTRIBUTES/py_state" in keys_of(path)
    later = Checkpoint()
    status = later.restore(path)
    later.c = Counter(0)
    assert later.c.n == 7
    status.assert_consumed()


def test_saveable_objects_are_refused(tmp_path):
    class Old(Trackable):
        def _gather_saveables_for_checkpoint(self):
            return {}

    with pytest.raises(NotImplementedError, match="Old saves itself by `_gather_saveables_for_checkpoint`"):
        Checkpoint(old=Old()).write(tmp_path / "x")


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


@pytest.mark.parametrize("optimizer_first", [True, False])
def test_slot_variables_of_tensorflow(optimizer_first, tmp_path):
    prefix = GOLDEN / "bundle" / "objects" / "ckpt-3"
    stored = bundle.Reader(prefix)
    checkpoint = Checkpoint()
    status = checkpoint.restore(prefix).expect_partial()
    optimizer, model = Slots(), Module()
    model.w = Variable(np.zeros(stored.shape_and_dtype("model/w" + VALUE)[0], np.float32))
    for name, value in [("optimizer", optimizer), ("model", model)][:: 1 if optimizer_first else -1]:
        setattr(checkpoint, name, value)
    for name in ("m", "v"):
        key = f"model/w/.OPTIMIZER_SLOT/optimizer/{name}{VALUE}"
        assert np.array_equal(optimizer.get_slot(model.w, name).numpy(), stored.get(key))
    status.assert_existing_objects_matched()
    path = checkpoint.write(tmp_path / "x")
    assert f"model/w/.OPTIMIZER_SLOT/optimizer/m{VALUE}" in keys_of(path)
    nodes = graph_of(path)
    assert [slot[1] for slot in nodes[dict(nodes[0].children)["optimizer"]].slot_variables] == ["m", "v"]
    again = Checkpoint(optimizer=optimizer, model=model)
    again.read(path, CheckpointOptions(experimental_skip_slot_variables=True))


# ---------------------------------------------------------------- restoring


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
        with pytest.raises(AssertionError, match=r"No checkpoint specified \(save_path=None\); nothing is being restored."):
            check()
    with pytest.raises(AssertionError, match="no restore ops are available"):
        status.run_restore_ops()
    assert status.initialize_or_restore() is None
    assert status.expect_partial() is status


def test_another_shape(saved):
    other = Variable(7)
    checkpoint = Checkpoint(v=Variable([0.0, 0.0, 0.0], name="vec"), items=[other])
    words = (r"Received incompatible tensor with shape \(2,\) when attempting to restore variable with shape \(3,\) and "
             "name vec:0")
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


def test_inside_a_function(tmp_path):
    graph = types.SimpleNamespace(building_function=True)
    checkpoint = Checkpoint(v=Variable(1.0))
    with swapped(graph=graph):
        with pytest.raises(NotImplementedError, match="Checkpoint.save.. from a function is not supported"):
            checkpoint.save(tmp_path / "x")
        with pytest.raises(NotImplementedError, match="from inside a tf.function"):
            checkpoint.write(tmp_path / "x")


# ---------------------------------------------------------------- options


def test_write_callbacks(tmp_path):
    calls = []
    options = CheckpointOptions(experimental_write_callbacks=[calls.append, lambda: calls.append("done")])
    path = Checkpoint(v=Variable(1.0)).save(tmp_path / "x", options)
    assert calls == [path, "done"]
    assert len(options.experimental_write_callbacks) == 2
    with pytest.raises(AssertionError, match="are required to have 0 or 1 parameters"):
        CheckpointOptions(experimental_write_callbacks=[lambda a, b: None])


def test_options_that_are_refused():
    CheckpointOptions("/job:localhost")
    CheckpointOptions("/job:localhost/replica:0/task:0/device:CPU:0")
    with pytest.raises(ValueError, match="experimental_io_device"):
        CheckpointOptions("/job:worker/task:1")
    with pytest.raises(NotImplementedError, match="experimental_sharding_callback"):
        CheckpointOptions(experimental_sharding_callback=print)


def test_writing_in_the_background(tmp_path):
    v = Variable(np.zeros(100_000))
    checkpoint, options = Checkpoint(v=v), CheckpointOptions(enable_async=True)
    assert options.experimental_enable_async_checkpoint
    paths = []
    for i in range(3):
        v.assign(np.full(100_000, float(i)))
        paths.append(checkpoint.save(tmp_path / "x", options))
    v.assign(np.full(100_000, -1.0))
    checkpoint.sync()
    assert checkpoint_state.latest_checkpoint(tmp_path) == paths[-1]
    for i, path in enumerate(paths):
        checkpoint.restore(path).assert_consumed()
        assert (v.numpy() == i).all()


def test_errors_in_the_background_are_raised(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    checkpoint = Checkpoint(v=Variable(1.0))
    checkpoint.write(tmp_path / "file" / "x", CheckpointOptions(enable_async=True))
    with pytest.raises(errors.OpError):
        checkpoint.sync()
    checkpoint.sync()


# ---------------------------------------------------------------- manager


def existing(folder) -> list[str]:
    return sorted(path.stem for path in pathlib.Path(folder).glob("*.index"))


def test_manager_keeps_the_last(tmp_path):
    checkpoint = Checkpoint(v=Variable(1.0))
    manager = CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    assert (manager.latest_checkpoint, manager.checkpoints) == (None, [])
    paths = [manager.save() for _ in range(4)]
    assert manager.checkpoints == paths[2:]
    assert manager.latest_checkpoint == paths[3] == str(tmp_path / "ckpt-4")
    assert existing(tmp_path) == ["ckpt-3", "ckpt-4"]
    assert len(list(tmp_path.glob("*.data*"))) == 2
    again = CheckpointManager(checkpoint, str(tmp_path), max_to_keep=1)
    assert again.checkpoints == paths[2:]
    again.save()
    assert existing(tmp_path) == ["ckpt-5"]
    state = checkpoint_state.get_checkpoint_state(tmp_path)
    assert list(state.all_model_checkpoint_paths) == [str(tmp_path / "ckpt-5")]
    assert (manager.directory, manager.checkpoint, manager.checkpoint_interval) == (str(tmp_path), checkpoint, None)


def test_manager_keeps_everything(tmp_path):
    manager = CheckpointManager(Checkpoint(v=Variable(1.0)), tmp_path, max_to_keep=None, checkpoint_name="model[1]")
    for _ in range(3):
        manager.save()
    assert len(existing(tmp_path)) == 3
    assert manager.save(checkpoint_number=Variable(7)) == str(tmp_path / "model[1]-7")
    one = CheckpointManager(manager.checkpoint, tmp_path, max_to_keep=1, checkpoint_name="model[1]")
    one.save(checkpoint_number=7)  # overwritten: the newest now
    assert existing(tmp_path) == ["model[1]-7"]


def test_manager_preserves_some(tmp_path, monkeypatch):
    now = 1_000_000.0
    monkeypatch.setattr(time, "time", lambda: now)
    manager = CheckpointManager(Checkpoint(v=Variable(1.0)), tmp_path, 1, keep_checkpoint_every_n_hours=2)
    for _ in range(6):
        now += 3600.0
        manager.save()
    assert existing(tmp_path) == ["ckpt-2", "ckpt-4", "ckpt-6"]
    assert manager.checkpoints == [str(tmp_path / "ckpt-6")]
    now -= 10 * 3600.0  # the clock runs backwards: nothing is deleted by mistake
    CheckpointManager(manager.checkpoint, tmp_path, 1).save()
    assert "ckpt-2" in existing(tmp_path)


def test_manager_saves_at_intervals(tmp_path):
    step = Variable(0)
    manager = CheckpointManager(Checkpoint(step=step), tmp_path, 5, step_counter=step, checkpoint_interval=10)
    assert manager.checkpoint_interval == 10
    saved = []
    for i in range(0, 25, 5):
        step.assign(i)
        saved.append(manager.save() is not None)
    assert saved == [True, False, True, False, True]
    step.assign(21)
    assert manager.save() is None
    assert manager.save(check_interval=False) is not None
    assert manager.save(check_interval=False) is None, "not twice for one step"
    step.assign(0)
    again = CheckpointManager(Checkpoint(step=step), tmp_path, 5, step_counter=step, checkpoint_interval=10)
    assert again.restore_or_initialize() == manager.latest_checkpoint
    assert step.numpy() == 21
    assert again.save() is None


def test_manager_initializes(tmp_path, capsys):
    v, calls = Variable(1.0), []
    manager = CheckpointManager(Checkpoint(v=v), tmp_path, 1, init_fn=lambda: calls.append(1))
    assert manager.restore_or_initialize() is None
    assert calls == [1]
    path = manager.save()
    v.assign(5.0)
    assert manager.restore_or_initialize() == path
    assert (v.numpy(), calls) == (1.0, [1])
    manager.sync()


def test_manager_arguments(tmp_path):
    with pytest.raises(ValueError, match="Expected a positive integer or `None` for `max_to_keep`, got 0"):
        CheckpointManager(Checkpoint(), tmp_path, 0)
    with pytest.raises(ValueError, match="`step_counter` should be passed if `checkpoint_interval` is not None"):
        CheckpointManager(Checkpoint(), tmp_path, 1, checkpoint_interval=3)


# ---------------------------------------------------------------- looking into checkpoints


def test_readers(saved, tmp_path):
    shapes = [(object_graph.OBJECT_GRAPH_KEY, []), ("items/0" + VALUE, []), ("save_counter" + VALUE, []), ("v" + VALUE, [2])]
    assert checkpoint_reader.list_variables(saved) == shapes
    assert checkpoint_reader.list_variables(tmp_path) == shapes
    assert checkpoint_reader.load_variable(saved, "v" + VALUE + ":0").tolist() == [1.0, 2.0]
    reader = checkpoint_reader.load_checkpoint(tmp_path)
    assert reader.has_tensor("v" + VALUE)
    assert not reader.has_tensor("w")
    assert reader.get_tensor("items/0" + VALUE) == 3
    assert reader.get_variable_to_shape_map()["v" + VALUE] == [2]
    assert reader.get_variable_to_dtype_map()["v" + VALUE] == "float32"
    assert f"v{VALUE} (DT_FLOAT) [2]\n".encode() in reader.debug_string()
    with pytest.raises(errors.NotFoundError, match="Key x not found in checkpoint"):
        reader.get_tensor("x")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file or checkpoints in given directory"):
        checkpoint_reader.load_checkpoint(tmp_path / "empty")


def test_checkpoints_iterator(tmp_path, monkeypatch):
    checkpoint, naps = Checkpoint(v=Variable(1.0)), []
    monkeypatch.setattr(time, "sleep", naps.append)
    first = checkpoint.save(tmp_path / "x")
    iterator = checkpoint_reader.checkpoints_iterator(tmp_path, timeout=0, min_interval_secs=60)
    assert next(iterator) == first
    second = checkpoint.save(tmp_path / "x")
    assert next(iterator) == second
    assert 50 < naps[0] <= 60
    with pytest.raises(StopIteration):
        next(iterator)
    answers = [False, True]
    waiting = checkpoint_reader.checkpoints_iterator(tmp_path / "none", timeout=0, timeout_fn=lambda: answers.pop(0))
    assert list(waiting) == []
    assert answers == []


def test_checkpoint_view(tmp_path):
    def build():
        root = Module()
        root.a, root.items = Variable(5.0), [Variable(1.0), Variable(2.0)]
        return root

    root = build()
    root.leaf = Module()
    root.leaf.v = Variable(1.0)
    view = checkpoint_reader.CheckpointView(Checkpoint(root).save(tmp_path / "x"))
    assert view.children(0) == {"a": 1, "items": 2, "leaf": 3, "root": 0, "save_counter": 4}
    assert view.descendants() == list(range(8))
    other = build()
    other.more = Variable(1.0)
    matched, only_stored, only_live = view.diff(other)
    assert sorted(matched) == [0, 1, 2, 5, 6]
    assert matched[1] is other.a
    assert only_stored == [3, 4, 7]
    assert len(only_live) == 1
    with pytest.raises(ValueError, match="Expected a Trackable, got 3"):
        view.match(3)
    bundle.write(tmp_path / "v1", {"w": np.ones(1)})
    with pytest.raises(ValueError, match="does not appear to be object-based"):
        checkpoint_reader.CheckpointView(tmp_path / "v1")
