"""SavedModels with tables, written by one library and read by the other (TensorFlow's: `tests/golden/saved_tables/`,
`saved_text_table/`).

The keys and the answers are below, so a test needs nothing but the files.
"""

import pathlib
import shutil
import tempfile

from tools import golden
from tools.golden import run

GOLDEN = golden.GOLDEN / "saved_tables"
GOLDEN_TEXT = GOLDEN.with_name("saved_text_table")
QUESTION = ["b", "z", "x", "old"]
#: static table plus a variable; vocabulary with 3 buckets; mutable table; dense table at 3 and 9
ANSWERS = {"static": [12, 9, 9, 9], "vocabulary": [3, 3, 0, 3], "mutable": [6, -1, -1, 7], "dense": [1.5, -1.0]}


def module(tf):
    """A module with a table of each kind."""

    class Tables(tf.Module):
        def __init__(self):
            super().__init__()
            letters = tf.lookup.KeyValueTensorInitializer(["a", "b", "c"], tf.constant([1, 2, 3], tf.int64))
            names = tf.lookup.KeyValueTensorInitializer(["x", "y"], tf.constant([0, 1], tf.int64))
            self.table = tf.lookup.StaticHashTable(letters, -1)
            self.vocabulary = tf.lookup.StaticVocabularyTable(names, 3)
            self.counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
            self.counts.insert(["b", "old"], tf.constant([6, 7], tf.int64))
            self.dense = tf.lookup.experimental.DenseHashTable(
                tf.int64, tf.float32, -1.0, empty_key=-1, deleted_key=-2, initial_num_buckets=4
            )
            self.dense.insert(tf.constant([3, 4], tf.int64), [1.5, 2.5])
            self.start = tf.Variable(10, dtype=tf.int64)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def __call__(self, keys):
            return {
                "static": self.table.lookup(keys) + self.start,
                "vocabulary": self.vocabulary.lookup(keys),
                "mutable": self.counts.lookup(keys),
                "dense": self.dense.lookup(tf.constant([3, 9], tf.int64)),
            }

    return Tables()


def text_module(tf):
    """A module whose table is filled from a text file, which becomes an asset of the model."""

    class Words(tf.Module):
        def __init__(self):
            super().__init__()
            path = pathlib.Path(tempfile.mkdtemp()) / "words.txt"
            path.write_text("cat\ndog\n")
            index = tf.lookup.TextFileIndex
            lines = tf.lookup.TextFileInitializer(str(path), tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
            self.table = tf.lookup.StaticHashTable(lines, -1)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def __call__(self, words):
            return self.table.lookup(words)

    return Words()


def answers(tf, model) -> dict:
    """What a module or a loaded model answers, as lists."""
    return {name: value.numpy().tolist() for name, value in model(tf.constant(QUESTION)).items()}


def write(tf, folder):
    shutil.rmtree(folder, ignore_errors=True)
    model = module(tf)
    assert answers(tf, model) == ANSWERS, answers(tf, model)
    tf.saved_model.save(model, str(folder))


def check(folder: pathlib.Path) -> bool:
    import tensorflow as tf

    loaded = tf.saved_model.load(str(folder))
    assert answers(tf, loaded) == ANSWERS, answers(tf, loaded)
    assert answers(tf, lambda x: loaded.signatures["serving_default"](keys=x)) == ANSWERS
    with tf.compat.v1.Session(graph=tf.Graph()) as session:  # runs the initializers of the static tables
        meta = tf.compat.v1.saved_model.load(session, ["serve"], str(folder))
        signature = meta.signature_def["serving_default"]
        fetched = {k: signature.outputs[k].name for k in ("static", "vocabulary")}
        values = session.run(fetched, {signature.inputs["keys"].name: QUESTION})
    assert {k: v.tolist() for k, v in values.items()} == {k: ANSWERS[k] for k in fetched}
    return True


def record():
    """TensorFlow writes its SavedModel."""
    import tensorflow

    write(tensorflow, GOLDEN)
    tensorflow.saved_model.save(text_module(tensorflow), str(GOLDEN_TEXT))


def write_with_reflow(folder: pathlib.Path):
    import reflow

    write(reflow, folder)


if __name__ == "__main__":
    run(record, write_with_reflow, check)
