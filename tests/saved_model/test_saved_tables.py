"""Tables in SavedModels: as TensorFlow wrote them, and as we write them (`tools/golden/saved_tables.py`)."""

import shutil
import subprocess
import sys

import pytest

import reflow as tf
from reflow.core import errors
from reflow.saved_model import saved_model_proto
from tests import ROOT
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
    """The same kinds of objects under the same names, savers for the mutable tables,
    an op that fills the static ones."""
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


# --- tables from files: assets of the model may be read, nothing else


@pytest.fixture
def text_model(tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(golden.GOLDEN_TEXT, folder)
    return folder


def ask(folder, **options):
    loaded = tf.saved_model.load(folder, options=tf.saved_model.LoadOptions(**options))
    return loaded(tf.constant(["dog", "cow"])).numpy().tolist()


def edit(folder, change):
    saved = saved_model_proto.read(folder)
    change(saved.meta_graphs[0])
    (folder / "saved_model.pb").write_bytes(saved.SerializeToString())


def test_a_table_that_an_asset_fills(text_model):
    assert ask(text_model) == [1, -1]
    assert ask(text_model.rename(text_model.with_name("moved"))) == [1, -1]


def test_an_asset_that_is_a_link_out_of_the_model(text_model):
    secret = text_model.parent / "secret.txt"
    secret.write_text("dog\n")
    asset = text_model / "assets" / "words.txt"
    asset.unlink()
    asset.symlink_to(secret)
    with pytest.raises(ValueError, match="outside its own folder"):
        ask(text_model)


def test_the_folder_of_the_model_may_be_a_link(text_model, tmp_path):
    (tmp_path / "link").symlink_to(text_model)
    assert ask(tmp_path / "link") == [1, -1]


def test_a_path_in_the_graph_instead_of_an_asset(text_model):
    secret = text_model.parent / "secret.txt"
    secret.write_text("dog\n")

    def change(meta):
        for function in meta.graph_def.library.function:
            for node in function.node_def:
                if node.op == "HashTableV2":  # tables of one name are one table while both models live
                    node.attr["shared_name"].s = b"table of this test"
                if node.op == "InitializeTableFromTextFileV2":
                    path = function.node_def.add(name="path", op="Const")
                    path.attr["dtype"].type = path.attr["value"].tensor.dtype = 7
                    path.attr["value"].tensor.tensor_shape.SetInParent()
                    path.attr["value"].tensor.string_val.append(str(secret).encode())
                    node.input[1] = "path:output:0"
                    break

    edit(text_model, change)
    with pytest.raises(errors.PermissionDeniedError, match="may only read assets of its model") as caught:
        ask(text_model)
    assert str(secret) in str(caught.value)
    assert ask(text_model, experimental_allow_unsafe_ops=["InitializeTableFromTextFileV2"]) == [0, -1]


def test_tables_of_other_processes_keep_apart(tmp_path):
    """Names that a file brings may not meet those of this process, also if both processes make the same tables."""
    write = "import reflow as tf\nfrom tools.golden import saved_tables\nmodel = saved_tables.module(tf)\n"
    load = f"""
own = [tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, 0.0) for _ in range(20)]
assert saved_tables.answers(tf, tf.saved_model.load({str(tmp_path)!r})) == saved_tables.ANSWERS
"""
    for program in (
        write + f"tf.saved_model.save(model, {str(tmp_path)!r})",
        write.replace("model = saved_tables.module(tf)", "") + load,
    ):
        subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
