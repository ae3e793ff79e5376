"""`saved_model.pb`: TensorFlow's, its text form, cut and bad ones."""

import os
import pathlib

import pytest

from reflow.saved_model import saved_model_proto
from reflow.train import bundle, sstable

GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "bundle"


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
    (tmp_path / "saved_model.pbtxt").write_text(
        'saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: "x" } }'
    )
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
