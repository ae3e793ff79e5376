"""A SavedModel with datasets, written by one library and read by the other (TensorFlow's:
`tests/golden/saved_datasets/`).

The answers are below, so a test needs nothing but the files.
"""

import pathlib
import shutil
import tempfile

from tools import golden
from tools.golden import run

GOLDEN = golden.GOLDEN / "saved_datasets"
WORDS = ["one", "two", "three"]
#: what each function returns
ANSWERS = {
    "cached": [0, 2, 4],
    "looked_up": [7, 8, -1],
    "looked_up_later": [5, -1, -1],
    "lines": [word.encode() for word in WORDS],
    "shuffled": [1, 0, 2],
    "weighted": [0, 3, 6],
    "taken": [9, 8],
    "ragged_rows": [3, 3, 15],
    "sparse_rows": [1, 2, 7],
    "ragged_batches": [1, 9],
    "sparse_batches": [3, 7],
    "rebatched": [6, 15],
    "parsed": [[2, 0, 0], [1, 3, 2]],
}


def example(tf, number: int, size: int) -> bytes:
    """A serialized example: a number, and two lists of a size."""
    lists = {"a": [number], "b": [3] * size, "c": [5] * size}
    features = {key: tf.train.Feature(int64_list=tf.train.Int64List(value=values)) for key, values in lists.items()}
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def module(tf, folder: pathlib.Path):
    """Datasets as attributes, alone and in a list: with functions, a cache in memory, tables, a file, seeds."""
    tf.random.set_seed(1)
    words = folder / "words.txt"
    words.write_text("\n".join(WORDS))
    numbers = tf.data.Dataset.range(3)
    keys, values = tf.constant([0, 1], tf.int64), tf.constant([7, 8], tf.int64)
    fixed = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1)
    growing = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)
    growing.insert(keys[:1], values[:1] - 2)

    class Datasets(tf.Module):
        def __init__(self):
            super().__init__()
            self.cached_numbers = numbers.map(lambda x: 2 * x).batch(2).cache()
            self.tables = [numbers.map(fixed.lookup), {"later": numbers.map(growing.lookup)}]
            self.file = tf.data.TextLineDataset(str(words))
            self.numbers = numbers
            self.mixed = numbers.shuffle(3, seed=4)
            self.weight = tf.Variable(3, dtype=tf.int64)
            ragged, sparse = (
                tf.ragged.constant([[1, 2], [3], [4, 5, 6]]), tf.sparse.from_dense([[1, 0], [0, 2], [3, 4]])
            )
            self.ragged = tf.data.Dataset.from_tensor_slices((ragged, [0, 0, 0]))
            self.sparse = tf.data.Dataset.from_tensor_slices(sparse)
            self.ragged_of_two = tf.data.Dataset.range(5).map(tf.range).ragged_batch(3).map(lambda x: x.flat_values)
            self.sparse_of_two = self.sparse.batch(2)
            self.examples = tf.data.Dataset.from_tensors([example(tf, 2, 0), example(tf, 1, 2)]).apply(
                tf.data.experimental.parse_example_dataset({
                    "b": tf.io.VarLenFeature(tf.int64), "a": tf.io.FixedLenFeature([], tf.int64),
                    "c": tf.io.RaggedFeature(tf.int64, row_splits_dtype=tf.int64),
                })
            )
            self.ragged_again = tf.data.Dataset.from_tensors(ragged).rebatch(2)

        @tf.function(input_signature=[])
        def cached(self):
            return self.cached_numbers.unbatch().batch(3).get_single_element()

        @tf.function(input_signature=[])
        def looked_up(self):
            return self.tables[0].batch(3).get_single_element()

        @tf.function(input_signature=[])
        def looked_up_later(self):
            return self.tables[1]["later"].batch(3).get_single_element()

        @tf.function(input_signature=[])
        def lines(self):
            return self.file.batch(3).get_single_element()

        @tf.function(input_signature=[])
        def shuffled(self):
            return self.mixed.batch(3).get_single_element()

        @tf.function(input_signature=[])
        def weighted(self):
            return self.numbers.map(lambda x: x * self.weight).batch(3).get_single_element()

        @tf.function(input_signature=[])
        def ragged_rows(self):
            return self.ragged.map(lambda row, _: tf.reduce_sum(row)).batch(3).get_single_element()

        @tf.function(input_signature=[])
        def sparse_rows(self):
            return self.sparse.map(tf.sparse.reduce_sum).batch(3).get_single_element()

        @tf.function(input_signature=[])
        def ragged_batches(self):
            return self.ragged_of_two.map(tf.reduce_sum).batch(2).get_single_element()

        @tf.function(input_signature=[])
        def sparse_batches(self):
            return self.sparse_of_two.map(lambda x: tf.reduce_sum(x.values)).batch(2).get_single_element()

        @tf.function(input_signature=[])
        def rebatched(self):
            return self.ragged_again.map(tf.reduce_sum).batch(2).get_single_element()

        @tf.function(input_signature=[])
        def parsed(self):
            found = self.examples.get_single_element()
            dense, rows = found["a"][:, None], found["c"].row_lengths()[:, None]
            return tf.concat([dense, tf.sparse.to_dense(found["b"])[:, :1], rows], 1)

        @tf.function(input_signature=[tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))])
        def taken(self, dataset):
            return dataset.take(2)

    return Datasets()


def answers(tf, model) -> dict:
    """What every function of a module or a loaded model returns."""
    given = {"taken": [tf.data.Dataset.range(9, 0, -1)]}
    results = {name: getattr(model, name)(*given.get(name, ())) for name in ANSWERS}
    return {name: [int(n) for n in x] if name == "taken" else x.numpy().tolist() for name, x in results.items()}


def write(tf, folder):
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as place:
        model = module(tf, pathlib.Path(place))
        found = answers(tf, model)
        assert found == ANSWERS, found
        tf.saved_model.save(model, str(folder), signatures={})


def check(folder: pathlib.Path) -> bool:
    import tensorflow as tf

    return answers(tf, tf.saved_model.load(str(folder))) == ANSWERS


def record():
    """TensorFlow writes its SavedModel."""
    import tensorflow

    write(tensorflow, GOLDEN)


def write_with_reflow(folder: pathlib.Path):
    import reflow

    write(reflow, folder)


if __name__ == "__main__":
    run(record, write_with_reflow, check)
