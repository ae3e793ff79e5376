"""The object graph, the `checkpoint` file and `saved_model.pb`."""

import os
import pathlib

import numpy as np
import pytest

from reflow.core import errors
from reflow.saved_model import saved_model_proto
from reflow.train import bundle, checkpoint_state, object_graph, sstable
from reflow.train.object_graph import ObjectNode

GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "bundle"


# ---------------------------------------------------------------- object graph


def golden_graph() -> bytes:
    return bundle.Reader(GOLDEN / "objects" / "ckpt-3").get(object_graph.OBJECT_GRAPH_KEY).item()


def test_tensorflows_object_graph():
    nodes = object_graph.parse(golden_graph())
    assert nodes[0] == ObjectNode([("model", 1), ("optimizer", 2), ("save_counter", 3)])
    assert nodes[2].slot_variables == [(4, "m", 12), (4, "v", 13)]
    assert object_graph.build(nodes) == golden_graph()


def test_keys_of_all_paths_are_those_in_tensorflows_checkpoint():
    """Walks the graph and computes each variable's key from the names on the way."""
    nodes = object_graph.parse(golden_graph())
    paths, pending = {0: ""}, [0]
    while pending:
        node = pending.pop(0)
        for name, child in nodes[node].children:
            if child not in paths:
                step = object_graph.object_path([name])
                paths[child] = f"{paths[node]}/{step}" if node else step
                pending.append(child)
    for node, path in list(paths.items()):
        for original, slot_name, slot in nodes[node].slot_variables:
            paths[slot] = object_graph.slot_variable_path(paths[original], path, slot_name)
    keys = {object_graph.checkpoint_key(paths[i]): a[2] for i, n in enumerate(nodes) for a in n.attributes}
    assert all(ours == theirs for ours, theirs in keys.items())
    reader = bundle.Reader(GOLDEN / "objects" / "ckpt-3")
    assert set(keys) == set(reader) - {object_graph.OBJECT_GRAPH_KEY}
    assert np.array_equal(
        reader.get("model/w/.ATTRIBUTES/VARIABLE_VALUE"), np.load(GOLDEN / "objects" / "expected.npz")["w"]
    )
    assert reader.get("model/items/1/a.Sb..c/.ATTRIBUTES/VARIABLE_VALUE") == 4


@pytest.mark.parametrize("name", ["", "a", "a/b.c", "..", "./S", ".S", "S.", "//", "é.", "a.Sb"])
def test_escaping(name):
    escaped = object_graph.escape_local_name(name)
    assert "/" not in escaped
    assert object_graph.unescape_local_name(escaped) == name


def test_cycles_and_registered_savers():
    nodes = [
        ObjectNode([("a", 1), ("self", 0)]),
        ObjectNode([("root", 0), ("table", 2)]),
        ObjectNode(registered_saver=("Saver", "name")),
        ObjectNode([("self", 3)]),
    ]
    assert object_graph._nodes_with_values(nodes) == {0, 1, 2}
    assert object_graph.parse(object_graph.build(nodes)) == nodes
    assert object_graph.parse(b"") == []


def test_damaged_object_graph():
    data = golden_graph()
    for length in range(0, len(data), 7):
        try:
            object_graph.parse(data[:length])
        except errors.DataLossError as e:
            assert "corrupt object graph" in str(e)
    for child in (5, -1):
        graph = object_graph.trackable_object_graph_pb2.TrackableObjectGraph()
        graph.nodes.add().children.add(node_id=child, local_name="x")
        with pytest.raises(errors.DataLossError, match=f"refers to node {child} of 1"):
            object_graph.parse(graph.SerializeToString())


# ---------------------------------------------------------------- the file `checkpoint`


def test_tensorflows_state_file():
    folder = GOLDEN / "objects"
    state = checkpoint_state.get_checkpoint_state(folder)
    assert state.model_checkpoint_path == str(folder / "ckpt-3")
    assert list(state.all_model_checkpoint_paths) == [str(folder / "ckpt-2"), str(folder / "ckpt-3")]
    assert len(state.all_model_checkpoint_timestamps) == 2
    assert checkpoint_state.latest_checkpoint(folder) == str(folder / "ckpt-3")


def test_state_file_as_tensorflow_writes_it(tmp_path):
    """The same content gives the same text."""
    folder = GOLDEN / "objects"
    state = checkpoint_state.get_checkpoint_state(folder)
    checkpoint_state.update_checkpoint_state(
        tmp_path,
        "ckpt-3",
        ["ckpt-2", "ckpt-3"],
        all_model_checkpoint_timestamps=state.all_model_checkpoint_timestamps,
        last_preserved_timestamp=state.last_preserved_timestamp,
    )
    assert (tmp_path / "checkpoint").read_bytes() == (folder / "checkpoint").read_bytes()


def test_relative_folder_and_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("saves")
    bundle.write("saves/ckpt-1", {"x": np.zeros(1)})
    checkpoint_state.update_checkpoint_state("saves", "saves/ckpt-1")
    assert 'model_checkpoint_path: "ckpt-1"' in (tmp_path / "saves" / "checkpoint").read_text()
    assert checkpoint_state.latest_checkpoint("saves") == "saves/ckpt-1"
    os.rename("saves", "moved")
    assert checkpoint_state.latest_checkpoint("moved") == "moved/ckpt-1"


def test_absolute_paths_stay_unless_asked(tmp_path):
    path = str(tmp_path / "ckpt-1")
    given = ["a"]
    checkpoint_state.update_checkpoint_state(tmp_path, path, given)
    assert f'"{path}"' in (tmp_path / "checkpoint").read_text()
    assert given == ["a"]
    checkpoint_state.update_checkpoint_state(tmp_path, path, save_relative_paths=True, latest_filename="other")
    assert 'model_checkpoint_path: "ckpt-1"' in (tmp_path / "other").read_text()


def test_state_errors(tmp_path, caplog):
    assert checkpoint_state.latest_checkpoint(tmp_path) is None
    assert checkpoint_state.latest_checkpoint(tmp_path / "nowhere") is None
    with pytest.raises(RuntimeError, match="conflicts with path used for checkpoint state"):
        checkpoint_state.update_checkpoint_state(str(tmp_path), str(tmp_path / "checkpoint"))
    with pytest.raises(ValueError, match="must match checkpoint paths"):
        checkpoint_state.update_checkpoint_state(tmp_path, "a", ["a"], all_model_checkpoint_timestamps=[1.0, 2.0])
    with pytest.raises(errors.NotFoundError):
        checkpoint_state.update_checkpoint_state(tmp_path / "nowhere", "a")
    checkpoint_state.update_checkpoint_state(tmp_path, "gone")
    assert checkpoint_state.latest_checkpoint(tmp_path) is None
    assert "Couldn't match files for checkpoint" in caplog.text
    for damaged in (b"what is this", b"\xff\xfe", b'model_checkpoint_path: "a'):
        (tmp_path / "checkpoint").write_bytes(damaged)
        assert checkpoint_state.get_checkpoint_state(tmp_path) is None
    assert "Checkpoint ignored" in caplog.text
    (tmp_path / "checkpoint").write_bytes(b"")
    with pytest.raises(ValueError, match="Invalid checkpoint state"):
        checkpoint_state.get_checkpoint_state(tmp_path)


# ---------------------------------------------------------------- saved_model.pb


def test_tensorflows_saved_model(tmp_path):
    model = saved_model_proto.read(GOLDEN / "saved_model")
    assert model.saved_model_schema_version == 1
    (meta_graph,) = model.meta_graphs
    assert list(meta_graph.meta_info_def.tags) == ["serve"]
    assert "serving_default" in meta_graph.signature_def
    assert meta_graph.object_graph_def.nodes
    original = (GOLDEN / "saved_model" / "saved_model.pb").read_bytes()
    path = saved_model_proto.write(tmp_path / "new", model.meta_graphs)
    assert pathlib.Path(path).read_bytes() == original
    assert os.listdir(tmp_path / "new") == ["saved_model.pb"]
    model.DiscardUnknownFields()
    assert saved_model_proto.serialize(model) == original, "tensorboard's protos miss a field that TensorFlow writes"
    assert bundle.Reader(GOLDEN / "saved_model" / "variables" / "variables").keys()


def test_text_form(tmp_path):
    (tmp_path / "saved_model.pbtxt").write_text('saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: "x" } }')
    assert saved_model_proto.read(tmp_path).meta_graphs[0].meta_info_def.tags == ["x"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("nothing", b"", "SavedModel file does not exist at: "),
        ("saved_model.pb", b"\xff", "Cannot parse file .*saved_model.pb"),
        ("saved_model.pb", b"\x12\xff\xff\xff\xff\x0f", "Cannot parse file"),
        ("saved_model.pb", b"\x08\x02", "schema version 2"),
        ("saved_model.pbtxt", b"x: 1", "Cannot parse file .*saved_model.pbtxt"),
        ("saved_model.pbtxt", b"\xff", "Cannot parse file"),
        ("saved_model.cpb", b"", "in chunks"),
    ],
)
def test_bad_saved_models(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(OSError, match=message):
        saved_model_proto.read(tmp_path)


def test_cut_saved_model(tmp_path):
    original = (GOLDEN / "saved_model" / "saved_model.pb").read_bytes()
    for length in range(3, len(original), 997):
        (tmp_path / "saved_model.pb").write_bytes(original[:length])
        with pytest.raises(OSError, match="Cannot parse file"):
            saved_model_proto.read(tmp_path)


def field(number: int, payload: bytes) -> bytes:
    return sstable.put_varint(number << 3 | 2) + sstable.put_varint(len(payload)) + payload


def test_deep_nesting(tmp_path):
    """A list in a list, 10,000 deep, in a function's signature: protobuf stops at 100."""
    value = b""
    for _ in range(10000):
        value = field(51, field(1, value))  # StructuredValue.list_value, ListValue.values
    function = field(2, field(3, value))  # an item of the map: SavedConcreteFunction.canonicalized_input_signature
    (tmp_path / "saved_model.pb").write_bytes(field(2, field(7, field(2, function))))
    with pytest.raises(OSError, match="Cannot parse file"):
        saved_model_proto.read(tmp_path)
    os.remove(tmp_path / "saved_model.pb")
    opening = "meta_graphs { object_graph_def { concrete_functions { value { canonicalized_input_signature {"
    (tmp_path / "saved_model.pbtxt").write_text(opening + "list_value { values {" * 10000)
    with pytest.raises(OSError, match="Cannot parse file"):
        saved_model_proto.read(tmp_path)
