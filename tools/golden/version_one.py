"""Files of TensorFlow 1, written by one library and read by the other: `.meta` graphs with checkpoints, SavedModels of
the builder.

TensorFlow's (`tests/golden/version_one/`) have reference variables, as programs before 2018 wrote them.
"""

import pathlib
import shutil

from tools import golden
from tools.golden import run

GOLDEN = golden.GOLDEN / "version_one"
#: of the model at [1, 2]: before and after one more step of training; table; asset
BEFORE, AFTER, WORDS, ASSET = 7.5, 6.0, [2, -1], [1]


def write(tf, folder: pathlib.Path):
    """A model with one weight a row, a table of constants and one of a file; trained by a step; saved in every way."""
    v1 = tf.compat.v1
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "words.txt").write_text("cat\ndog\n")
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        w = v1.get_variable("w", initializer=[3.0, 3.0])
        y = tf.reduce_sum(x * w, axis=1, name="y")
        step = v1.train.get_or_create_global_step()
        v1.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(w, name="loss"), global_step=step, name="train")
        pairs = tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64))
        table = v1.lookup.StaticHashTable(pairs, -1)
        asset = tf.constant(str(folder / "words.txt"), name="words")
        v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, asset)
        index = tf.lookup.TextFileIndex
        lines = tf.lookup.TextFileInitializer(asset, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
        animals = v1.lookup.StaticHashTable(lines, -1)
        word = v1.placeholder(tf.string, [None], name="word")
        found, animal = table.lookup(word), animals.lookup(word)
        v1.add_to_collection("outs", y)
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        session.run("train")
        v1.train.Saver().save(session, str(folder / "whole"), global_step=step)
        v1.train.Saver(sharded=True).save(session, str(folder / "sharded"), global_step=step, write_state=False)
        utils = v1.saved_model
        signatures = {
            "serving_default": utils.predict_signature_def({"x": x}, {"y": y}),
            "words": utils.predict_signature_def({"word": word}, {"index": found}),
            "animals": utils.predict_signature_def({"word": word}, {"index": animal}),
        }
        builder = utils.Builder(str(folder / "model"))
        builder.add_meta_graph_and_variables(
            session, ["serve"], signatures, assets_collection=v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS),
            main_op=v1.tables_initializer(),
        )
        builder.add_meta_graph(["train"])
        builder.save()


def check_graphs(tf, folder: pathlib.Path):
    """The `.meta` graphs are imported, restored and trained on."""
    v1 = tf.compat.v1
    for name in ("whole-1", "sharded-1"):
        with tf.Graph().as_default(), v1.Session() as session:
            v1.train.import_meta_graph(str(folder / f"{name}.meta")).restore(session, str(folder / name))
            (y,) = v1.get_collection("outs")
            assert session.run(y, {"x:0": [[1.0, 2.0]]}) == BEFORE
            session.run("train")
            assert session.run(y, {"x:0": [[1.0, 2.0]]}) == AFTER
            assert session.run(v1.train.get_global_step()) == 2
            assert [v.name for v in v1.trainable_variables()] == ["w:0"]


def check_model(tf, folder: pathlib.Path):
    """The SavedModel is loaded into a session, and as an object."""
    v1, path = tf.compat.v1, str(folder / "model")
    with tf.Graph().as_default(), v1.Session() as session:
        meta = v1.saved_model.load(session, ["serve"], path)

        def ask(key, value):
            (given,), (wanted,) = meta.signature_def[key].inputs.values(), meta.signature_def[key].outputs.values()
            return session.run(wanted.name, {given.name: value}).tolist()

        assert ask("serving_default", [[1.0, 2.0]]) == [BEFORE]
        assert ask("words", ["b", "z"]) == WORDS and ask("animals", ["dog"]) == ASSET
    model = tf.saved_model.load(path, tags=["serve"])
    assert model.signatures["serving_default"](x=tf.constant([[1.0, 2.0]]))["y"].numpy().tolist() == [BEFORE]
    assert model.signatures["words"](word=tf.constant(["b", "z"]))["index"].numpy().tolist() == WORDS
    assert model.signatures["animals"](word=tf.constant(["dog"]))["index"].numpy().tolist() == ASSET
    function = model.prune("x:0", "y:0")
    (w,) = [v for v in model.variables if v.name.startswith("w")]
    w.assign([1.0, 0.0])
    assert function(tf.constant([[1.0, 2.0]])).numpy().tolist() == [1.0]


def check(folder: pathlib.Path) -> bool:
    import tensorflow as tf

    check_graphs(tf, folder)
    check_model(tf, folder)
    return True


def record():
    """TensorFlow writes its files, with reference variables."""
    import tensorflow as tf

    tf.compat.v1.disable_resource_variables()
    write(tf, GOLDEN)


def write_with_reflow(folder: pathlib.Path):
    import reflow

    write(reflow, folder)


if __name__ == "__main__":
    run(record, write_with_reflow, check)
