"""Tables in SavedModels: as TensorFlow wrote them, and as we write them (`tools/golden/saved_tables.py`)."""

import pytest

import reflow as tf
from reflow.saved_model import saved_model_proto
from tools.golden import saved_tables as golden


def read(folder):
    return saved_model_proto.read(folder).meta_graphs[0]


def test_tables_that_tensorflow_wrote():
    loaded = tf.saved_model.load(golden.GOLDEN)
    assert golden.answers(tf, loaded) == golden.ANSWERS
    assert golden.answers(tf, lambda x: loaded.signatures["serving_default"](keys=x)) == golden.ANSWERS


def test_round_trips(tmp_path):
    """Saved, loaded, saved again: the mutable tables' entries come from the checkpoint."""
    golden.write(tf, tmp_path / "first")
    first = tf.saved_model.load(tmp_path / "first")
    assert golden.answers(tf, first) == golden.ANSWERS
    tf.saved_model.save(first, tmp_path / "second")
    assert golden.answers(tf, tf.saved_model.load(tmp_path / "second")) == golden.ANSWERS


def test_the_file_is_as_tensorflows(tmp_path):
    """The same kinds of objects under the same names, savers for the mutable tables, an op that fills the static ones."""
    golden.write(tf, tmp_path)
    mine, theirs = read(tmp_path), read(golden.GOLDEN)

    def described(meta):
        nodes = meta.object_graph_def.nodes
        return {
            c.local_name: (
                nodes[c.node_id].WhichOneof("kind"),
                sorted(x.local_name for x in nodes[c.node_id].children),
                sorted(nodes[c.node_id].saveable_objects),
            )
            for c in nodes[0].children
            if c.local_name not in ("__call__", "signatures")
        }

    assert described(mine) == described(theirs)
    names = [n for n in mine.graph_def.node if n.name == mine.collection_def["saved_model_main_op"].node_list.value[0]]
    called = [n for n in mine.graph_def.node if f"^{n.name}" in names[0].input]
    assert [n.op for n in called] == ["StatefulPartitionedCall"] * 4


def test_two_models_have_tables_of_their_own(tmp_path):
    for i in range(2):
        module = tf.Module()
        entries = tf.lookup.KeyValueTensorInitializer(["a"], [i])
        module.table = tf.lookup.StaticHashTable(entries, -1)
        module.ask = tf.function(module.table.lookup, input_signature=[tf.TensorSpec([], tf.string)])
        tf.saved_model.save(module, tmp_path / str(i))
    loaded = [tf.saved_model.load(tmp_path / str(i)) for i in range(2)]
    assert [int(m.ask("a")) for m in loaded] == [0, 1]


def test_a_vocabulary_without_entries_has_no_resource(tmp_path):
    module = tf.Module()
    module.table = tf.lookup.StaticVocabularyTable(None, 4)
    module.ask = tf.function(module.table.lookup, input_signature=[tf.TensorSpec([], tf.string)])
    tf.saved_model.save(module, tmp_path)
    assert int(tf.saved_model.load(tmp_path).ask("a")) == int(module.table.lookup(tf.constant("a")))


def _no_creator(meta):
    for node in meta.object_graph_def.nodes:
        if node.WhichOneof("kind") == "resource":
            kept = [c for c in node.children if c.local_name != "_create_resource"]
            del node.children[:]
            node.children.extend(kept)


def _creator_captures_itself(meta):
    for i, node in enumerate(meta.object_graph_def.nodes):
        if node.WhichOneof("kind") == "resource":
            creator = next(c.node_id for c in node.children if c.local_name == "_create_resource")
            name = meta.object_graph_def.nodes[creator].function.concrete_functions[0]
            meta.object_graph_def.concrete_functions[name].bound_inputs.append(i)


@pytest.mark.parametrize("change", [_no_creator, _creator_captures_itself])
def test_corrupt_resources(tmp_path, change):
    golden.write(tf, tmp_path)
    saved = saved_model_proto.read(tmp_path)
    change(saved.meta_graphs[0])
    (tmp_path / "saved_model.pb").write_bytes(saved.SerializeToString())
    with pytest.raises(ValueError, match="corrupt"):
        tf.saved_model.load(tmp_path)
