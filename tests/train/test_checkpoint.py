"""`tf.train.Checkpoint` and its manager: TensorFlow's checkpoints restore, and ours are the same."""

import os
import pathlib
import shutil
import types
import weakref

import numpy as np
import pytest

from reflow.core import errors
from reflow.core.context import swapped
from reflow.eager.module import Module
from reflow.eager.variables import Variable
from reflow.function.function import function
from reflow.tracking.trackable import Trackable
from reflow.train import bundle, checkpoint_state
from reflow.train.checkpoint import Checkpoint, CheckpointOptions
from tests import GOLDEN
from tests.train.objects import TF, VALUE, graph_of, keys_of
from tools.golden import checkpoint as golden

ROOT = pathlib.Path(__file__).parents[2]


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
    checkpoint = Checkpoint(
        s=Variable(["a", "", "\0b"]), one=Variable("x"), none=Variable(np.zeros([0, 3], np.float32))
    )
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
            return {"-keys": np.array([self.n]), "-values": Variable(self.n)}

        def _restore_from_tensors(self, tensors):
            self.n = int(tensors["-keys"].numpy()[0] + tensors["-values"].numpy())

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


def test_a_function_writes_when_it_runs(tmp_path):
    v = Variable(1.0)
    checkpoint = Checkpoint(v=v)

    @function
    def step(prefix):
        v.assign_add(1.0)
        return checkpoint.write(prefix)

    for i in range(2):
        step(str(tmp_path / str(i)))
    values = [bundle.Reader(tmp_path / str(i)).get(f"v{VALUE}") for i in range(2)]
    assert values == [2.0, 3.0]


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


@pytest.fixture
def saved(tmp_path):
    """The path of a checkpoint with v=[1, 2] and items=[3]."""
    return Checkpoint(v=Variable([1.0, 2.0]), items=[Variable(3)]).save(tmp_path / "ckpt")


def test_inside_a_function(tmp_path):
    graph = types.SimpleNamespace(building_function=True)
    checkpoint = Checkpoint(v=Variable(1.0))
    with (
        swapped(graph=graph),
        pytest.raises(NotImplementedError, match="Checkpoint.save.. from a function is not supported"),
    ):
        checkpoint.save(tmp_path / "x")


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
    with pytest.raises(ValueError, match="experimental_sharding_callback"):
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


def existing(folder) -> list[str]:
    return sorted(path.stem for path in pathlib.Path(folder).glob("*.index"))
