"""TensorFlow Datasets: a builder of one's own is written, read, split, and read whole."""

import tempfile

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds


class Squares(tfds.core.GeneratorBasedBuilder):
    """Numbers and their squares."""

    VERSION = tfds.core.Version("1.0.0")

    def _info(self):
        features = tfds.features.FeaturesDict({"x": np.float32, "y": np.float32})
        return tfds.core.DatasetInfo(builder=self, features=features, supervised_keys=("x", "y"))

    def _split_generators(self, dl_manager):
        return {"train": self._generate_examples(20), "test": self._generate_examples(5)}

    def _generate_examples(self, count):
        for i in range(count):
            yield i, {"x": float(i), "y": float(i * i)}


builder = Squares(data_dir=tempfile.mkdtemp())
builder.download_and_prepare()
pairs = builder.as_dataset(split="train[:50%]", as_supervised=True)
assert sum(1 for _ in tfds.as_numpy(pairs)) == 10
whole = builder.as_dataset(split="test", batch_size=-1)
assert sorted(np.asarray(whole["y"]).tolist()) == [0.0, 1.0, 4.0, 9.0, 16.0]
assert tf.data.experimental.cardinality(pairs) == 10
