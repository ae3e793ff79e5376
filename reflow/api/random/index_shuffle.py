"""`tf.random.experimental.index_shuffle`: a random permutation, one index at a time."""

from __future__ import annotations

from reflow.api.array import arrange
from reflow.api.call import call, same_dtype
from reflow.api.export import export
from reflow.ops.convert import convert_to_tensor

#: the third word of the key
_FIRST_WORD = 498247692


@export("random.experimental.index_shuffle")
def index_shuffle(index, seed, max_index):
    """The position of `index` in a random permutation of the numbers from 0 to `max_index`, which is never
    materialized.

    Args:
      index: integers, a scalar or a vector.
      seed: two integers, or a pair for each index: one permutation for each seed.
      max_index: the greatest index, or one for each.

    Returns:
      Integers of the dtype of `index`.

    >>> tf.random.experimental.index_shuffle(tf.range(4), seed=[5, 9], max_index=3).numpy().tolist()
    [2, 0, 1, 3]
    """
    seed = convert_to_tensor(seed)
    rank = 1 if seed.shape.rank is None else seed.shape.rank
    key = arrange.pad(seed, [[0, 0]] * (rank - 1) + [[1, 0]], constant_values=_FIRST_WORD)
    index, max_index = same_dtype(index, max_index)
    return call("RandomIndexShuffle", (index, key, max_index), {"rounds": 4})


@export("random_index_shuffle")
def random_index_shuffle(index, seed, max_index, rounds=4, name=None):
    """Finds where indices go in a random permutation: the op below `tf.random.experimental.index_shuffle`.

    Args:
      index: Integers in `[0, max_index]`, a scalar or a vector.
      seed: The key: three integers, or three for each index.
      max_index: The greatest index, or one for each.
      rounds: How often the cipher behind it is applied, an even number of 4 or more.
      name: A name for the operation.

    Returns:
      Integers of the shape and dtype of `index`.

    Raises:
      InvalidArgumentError: An index is out of range, or `rounds` is odd or too small.

    >>> sorted(tf.random_index_shuffle(tf.range(4), [1, 2, 3], 3).numpy().tolist())
    [0, 1, 2, 3]
    """
    index, max_index = same_dtype(index, max_index)
    return call("RandomIndexShuffle", (index, convert_to_tensor(seed), max_index), {"rounds": rounds}, name)
