"""`ParseExampleDatasetV2` and its older forms: batches of serialized examples, parsed.

TensorFlow's files contain them; `tf.data` here maps `ParseExampleV2`. Components are in the order of the sorted keys. A
sparse feature is a row of three variants, a ragged one a single variant.
"""

from __future__ import annotations

import numpy as np

from reflow.data.engine.values import DatasetIterator, DatasetValue
from reflow.data.kernels.dataset import dataset_op
from reflow.io.kernels import parsing
from reflow.io.kernels.serialized import packed_parts
from reflow.ops import require
from reflow.ops.kernels.sparse.variants import RaggedVariant


class ParsedIterator(DatasetIterator):
    def __next__(self):
        (serialized,) = next(self.input)
        return self.dataset.parsed(serialized)


class Parsed(DatasetValue):
    """Features of examples; the lists are those of `parsing.features`."""

    name = "ParseExample"
    iterator = ParsedIterator

    def __init__(self, source: DatasetValue, sparse: list, dense: list, ragged: list):
        self.inputs = (source,)
        self.sparse, self.dense, self.ragged = sparse, dense, ragged

    def cardinality(self):
        return self.inputs[0].cardinality()

    def parsed(self, serialized: np.ndarray) -> list:
        """The components of a batch."""
        rows = parsing.parsed(serialized.reshape(-1))
        by_key = {key: packed_parts([parsing.sparse_feature(rows, key, kind, False)], 3) for key, kind in self.sparse}
        for key, default, dims in self.dense:
            (by_key[key],) = parsing.features(rows, [], [(key, default, dims)], [], False)
        for key, kind, splits_kind in self.ragged:
            values, splits = parsing.ragged_feature(rows, key, kind, splits_kind, False)
            by_key[key] = np.array(RaggedVariant([splits], values), object)
        return [by_key[key] for key in sorted(by_key)]


def _texts(keys) -> list[str]:
    return [key.decode() if isinstance(key, bytes) else key for key in keys]


def _with_ragged(
    _, input_dataset, num_parallel_calls, dense_defaults, sparse_keys, dense_keys, sparse_types, dense_shapes,
    ragged_keys=(), ragged_value_types=(), ragged_split_types=(),
):
    sparse = require.paired(sparse_keys=_texts(sparse_keys), sparse_types=sparse_types)
    dense = require.paired(dense_keys=_texts(dense_keys), dense_defaults=dense_defaults, dense_shapes=dense_shapes)
    ragged = require.paired(ragged_keys=_texts(ragged_keys), values=ragged_value_types, splits=ragged_split_types)
    return Parsed(input_dataset, sparse, dense, ragged)


def _without_ragged(
    _, input_dataset, num_parallel_calls, dense_defaults, sparse_keys, dense_keys, sparse_types, dense_shapes
):
    return _with_ragged(
        _, input_dataset, num_parallel_calls, dense_defaults, sparse_keys, dense_keys, sparse_types, dense_shapes
    )


dataset_op("ParseExampleDatasetV2")(_with_ragged)
dataset_op("ParseExampleDataset")(_with_ragged)
dataset_op("ExperimentalParseExampleDataset")(_without_ragged)
