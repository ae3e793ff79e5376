"""`tf.io.parse_sequence_example`: from serialized `tf.train.SequenceExample`s to tensors."""

from __future__ import annotations

from reflow.api.call import checked_call
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.core.shapes import TensorShape, dims_of
from reflow.core.sparse import SparseTensor
from reflow.io.feature_kinds import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    VarLenFeature,
    Wanted,
    dense_default,
)
from reflow.io.parsing import assembled, strings, take
from reflow.ops.convert import constant, convert_to_tensor

_OF_CONTEXTS = (VarLenFeature, FixedLenFeature, RaggedFeature)
_OF_LISTS = (VarLenFeature, FixedLenSequenceFeature, RaggedFeature)


@export("io.parse_sequence_example")
def parse_sequence_example(serialized, context_features=None, sequence_features=None, example_names=None, name=None):
    """Three dicts of tensors from a vector of serialized `tf.train.SequenceExample`s.

    Args:
      serialized: a vector of strings.
      context_features: for keys of the context a `tf.io.FixedLenFeature`, `VarLenFeature` or `RaggedFeature`.
      sequence_features: for keys of feature lists a `tf.io.FixedLenSequenceFeature`, `VarLenFeature` or
        `RaggedFeature`.
      example_names: names of the examples, for errors.

    Returns:
      The context's tensors; the sequences' tensors, padded to the longest; the lengths of those of fixed features.

    >>> e = tf.train.SequenceExample()
    >>> for i in 1, 2:
    ...     e.feature_lists.feature_list["a"].feature.add().int64_list.value.append(i)
    >>> features = {"a": tf.io.FixedLenSequenceFeature([], tf.int64)}
    >>> _, sequences, lengths = tf.io.parse_sequence_example([e.SerializeToString()], sequence_features=features)
    >>> sequences["a"].numpy().tolist(), lengths["a"].numpy().tolist()
    ([[1, 2]], [2])
    """
    if not (context_features or sequence_features):
        raise ValueError(
            "Both `context_features` and `sequence_features` arguments are None, but at least one should have values."
        )
    return _parsed(serialized, context_features, sequence_features, example_names, name)


@export("io.parse_single_sequence_example")
def parse_single_sequence_example(
    serialized, context_features=None, sequence_features=None, example_name=None, name=None
):
    """Parses one serialized `tf.train.SequenceExample`.

    Args:
      serialized: A string scalar.
      context_features: For keys of the context a `tf.io.FixedLenFeature`, `VarLenFeature` or `RaggedFeature`.
      sequence_features: For keys of feature lists a `tf.io.FixedLenSequenceFeature`, `VarLenFeature` or
        `RaggedFeature`.
      example_name: A name of the example, for errors.
      name: A name for the operation.

    Returns:
      Two dictionaries of tensors: the context's, and the sequences'.

    Raises:
      ValueError: No features are given.

    >>> e = tf.train.SequenceExample()
    >>> e.context.feature["n"].int64_list.value.append(5)
    >>> context, _ = tf.io.parse_single_sequence_example(
    ...     e.SerializeToString(), {"n": tf.io.FixedLenFeature([], tf.int64)}
    ... )
    >>> context["n"].numpy().item()
    5
    """
    if not (context_features or sequence_features):
        raise ValueError("Both context_features and sequence_features are None, but at least one should have values.")
    return _parsed(serialized, context_features, sequence_features, example_name, name)[:2]


def _parsed(serialized, context_features, sequence_features, names, label) -> tuple[dict, dict, dict]:
    context, lists = Wanted(context_features, _OF_CONTEXTS), Wanted(sequence_features, _OF_LISTS)
    defaults = [dense_default(k, context.features[k]) for k in context.dense]
    fixed = [lists.features[k] for k in lists.dense]
    attrs = context.attrs("context_") | lists.attrs("feature_list_")
    attrs |= {
        "Ncontext_sparse": len(context.sparse),
        "Tcontext_dense": [dtypes.as_dtype(context.features[k].dtype) for k in context.dense],
        "context_dense_shapes": [dims for _, dims in defaults],
        "Nfeature_list_sparse": len(lists.sparse),
        "Nfeature_list_dense": len(fixed),
        "feature_list_dense_types": [dtypes.as_dtype(f.dtype) for f in fixed],
        "feature_list_dense_shapes": [dims_of(TensorShape(f.shape)) for f in fixed],
    }
    serialized = convert_to_tensor(serialized, dtypes.string)
    keys = [strings(k) for w in (context, lists) for k in (w.sparse, w.dense, w.ragged)]
    may_miss = constant([bool(f.allow_missing) for f in fixed], dtypes.bool_, shape=[len(fixed)])
    names = strings([]) if names is None else convert_to_tensor(names, dtypes.string)
    inputs = (serialized, names, *keys, may_miss, *(default for default, _ in defaults))
    flat = iter(checked_call("ParseSequenceExampleV2", inputs, attrs, label))
    scalar = serialized.shape.rank == 0
    return assembled(flat, context, scalar), *_sequences(flat, lists, scalar)


def _sequences(flat, lists: Wanted, scalar: bool) -> tuple[dict, dict]:
    """The tensors of feature lists, and the lengths of those of fixed features."""
    parts = [take(flat, len(lists.sparse)) for _ in range(3)]
    sparse = {k: SparseTensor(*p) for k, *p in zip(lists.sparse, *parts)}
    dense = dict(zip(lists.dense, take(flat, len(lists.dense))))
    lengths = dict(zip(lists.dense, take(flat, len(lists.dense))))
    values, outer, inner = (take(flat, len(lists.ragged)) for _ in range(3))
    ragged = {}
    for k, v, o, i in zip(lists.ragged, values, outer, inner):
        steps = RaggedTensor.from_row_splits(v, i, validate=False)
        ragged[k] = steps if scalar else RaggedTensor.from_row_splits(steps, o, validate=False)
    return lists.assembled(sparse, dense, ragged), lengths
