"""What `tf.data` can do, on small numbers: batches, windows, generators, joins, randomness, and going on where one
stopped.

    python -m reflow examples/data_pipeline.py
"""

import os
import tempfile

import numpy as np
import tensorflow as tf

Dataset = tf.data.Dataset


def show(title, dataset):
    elements = [tf.nest.map_structure(lambda x: x.tolist(), element) for element in dataset.as_numpy_iterator()]
    print(f"{title:<34} {elements}")


def generator():
    """Python code may make elements, of any length. It runs once for each pass."""
    for i in range(1, 4):
        yield np.arange(i, dtype="int32")


def resume():
    """The position in a dataset is a part of a checkpoint."""
    iterator, folder = iter(Dataset.range(10).shuffle(10, seed=3)), tempfile.mkdtemp()
    first = [next(iterator).numpy().item() for _ in range(4)]
    path = tf.train.Checkpoint(iterator=iterator).save(os.path.join(folder, "position"))
    rest = [x.numpy().item() for x in iterator]
    again = iter(Dataset.range(10).shuffle(10, seed=3))
    tf.train.Checkpoint(iterator=again).restore(path)
    resumed = [x.numpy().item() for x in again]
    print(f"{'stopped after four, and resumed':<34} {first} + {resumed}, as without a stop: {resumed == rest}")


if __name__ == "__main__":
    numbers = Dataset.range(6)
    show("map and filter", numbers.map(lambda x: x * x).filter(lambda x: x % 2 == 0))
    show("batch, the rest dropped", numbers.batch(4, drop_remainder=True))
    show("windows of three", numbers.window(3, shift=2, drop_remainder=True).flat_map(lambda w: w.batch(3)))
    show("zip with names", Dataset.zip({"x": numbers.take(2), "y": numbers.skip(4)}))
    show("interleave", numbers.take(3).interleave(lambda x: Dataset.from_tensors(x).repeat(2), cycle_length=3))
    show("shuffle with a seed", numbers.shuffle(6, seed=1))
    texts = Dataset.from_generator(generator, output_signature=tf.TensorSpec([None], tf.int32))
    show("lengths that differ, padded", texts.padded_batch(3))
    show("scan: running sums", numbers.scan(np.int64(0), lambda total, x: (total + x, total + x)))
    balanced = Dataset.sample_from_datasets(
        [numbers.repeat(), Dataset.range(100, 106).repeat()], weights=[0.5, 0.5], seed=2
    )
    show("two sources, half and half", balanced.take(6))
    resume()
