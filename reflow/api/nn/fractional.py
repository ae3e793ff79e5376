"""`tf.nn.fractional_max_pool` and `tf.nn.fractional_avg_pool`: pooling with fractional ratios."""

from __future__ import annotations

import collections

from reflow.api.call import call
from reflow.api.export import export, with_sections
from reflow.core import errors
from reflow.ops import random_state
from reflow.ops.convert import convert_to_tensor

FractionalMaxPool = collections.namedtuple("FractionalMaxPool", "output row_pooling_sequence col_pooling_sequence")
FractionalAvgPool = collections.namedtuple("FractionalAvgPool", "output row_pooling_sequence col_pooling_sequence")


def _pooled(kind, value, ratio, pseudo_random, overlapping, seeds, name):
    """Run the op; `seeds` are those of its attributes, None if each call draws other windows."""
    attrs = {
        "pooling_ratio": [float(r) for r in ratio], "pseudo_random": pseudo_random, "overlapping": overlapping,
        "deterministic": seeds is not None, **dict(zip(("seed", "seed2"), seeds or (0, 0), strict=True)),
    }
    return kind(*call(kind.__name__, (convert_to_tensor(value),), attrs, name))


def _ratios(given) -> list:
    """A ratio for each axis, of those that were given."""
    listed = list(given) if hasattr(given, "__len__") else [given]
    if len(listed) not in (1, 2, 4):
        raise ValueError(f"pooling_ratio should be of length 1, 2 or 4 but was {len(listed)}")
    return listed if len(listed) == 4 else [1.0, *(listed * 2)[:2], 1.0]


def _seeds(seed: int):
    return random_state.get_seed(seed) if seed else None


_FRACTIONAL = """\
Args:
  value: Images [batch, height, width, channels].
  pooling_ratio: By how much each axis shrinks: four numbers, those for batch and channels 1.
  pseudo_random: Whether windows come from one random offset; otherwise their sizes are in random order.
  overlapping: Whether neighboring windows share the element at their border.
  seed: A seed for the windows; 0 for other windows at each call.
  name: A name for the operation.

Returns:
  A named tuple: `output`, the pooled images; `row_pooling_sequence` and `col_pooling_sequence`{where}.
"""
_WHERE = ", where the windows\n  of rows and of columns begin and the last one ends"


@export("nn.fractional_max_pool")
@with_sections(_FRACTIONAL, where=_WHERE)
def fractional_max_pool(value, pooling_ratio, pseudo_random=False, overlapping=False, seed=0, name=None):
    """Takes the greatest element of windows of unequal size: 20 rows become 14 by a ratio of 1.4.

    Args:
      pooling_ratio: By how much height and width shrink, at least 1: a number, two, or four with a 1 for batch and
        channels.

    Raises:
      ValueError: `pooling_ratio` has not 1, 2 or 4 elements, or op determinism is enabled and there is no seed.

    >>> found = tf.nn.fractional_max_pool(tf.reshape(tf.range(20.0), [1, 5, 4, 1]), 1.5, seed=3)
    >>> found.output.shape, found.row_pooling_sequence.numpy()[[0, -1]].tolist()
    (TensorShape([1, 3, 2, 1]), [0, 5])
    """
    ratio = _ratios(pooling_ratio)
    if seed == 0 and random_state.deterministic():
        raise ValueError(
            "tf.nn.fractional_max_pool requires a non-zero seed to be passed in when determinism is enabled, but got "
            f'seed={seed}. Please pass in a non-zero seed, e.g. by passing "seed=1".'
        )
    return _pooled(FractionalMaxPool, value, ratio, pseudo_random, overlapping, _seeds(seed), name)


@export("nn.fractional_avg_pool")
@with_sections(_FRACTIONAL, where=_WHERE)
def fractional_avg_pool(value, pooling_ratio, pseudo_random=False, overlapping=False, seed=0, name=None):
    """Averages windows of unequal size, as in `tf.nn.fractional_max_pool`.

    >>> found = tf.nn.fractional_avg_pool(tf.ones([1, 5, 4, 1]), [1.0, 1.5, 1.5, 1.0], seed=3)
    >>> found.output.shape, float(tf.reduce_max(found.output))
    (TensorShape([1, 3, 2, 1]), 1.0)
    """
    return _pooled(FractionalAvgPool, value, pooling_ratio, pseudo_random, overlapping, _seeds(seed), name)


def _fixed(deterministic: bool, seed: int, seed2: int):
    """The op's own seeds, as version 1 takes them."""
    if not deterministic and (seed or seed2):
        raise errors.InvalidArgumentError(None, None, "Both seed and seed2 should be 0 if deterministic is false.")
    return (seed, seed2) if deterministic else None


_OF_SEEDS = """\
Args:
  deterministic: Whether each call uses the same windows, those of the seeds.
  seed: The first seed of the op.
  seed2: The second seed of the op.

Raises:
  InvalidArgumentError: There is a seed and `deterministic` is not set.
  ValueError: Op determinism is enabled and an argument that it needs is missing (for maxima only).
"""


@export("compat.v1.nn.fractional_max_pool")
@with_sections(_FRACTIONAL, where="")
@with_sections(_OF_SEEDS)
def fractional_max_pool_v1(
    value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0, name=None
):
    """`tf.nn.fractional_max_pool` with both seeds of the op.

    >>> image = tf.reshape(tf.range(20.0), [1, 5, 4, 1])
    >>> tf.compat.v1.nn.fractional_max_pool(
    ...     image, [1.0, 1.5, 1.5, 1.0], deterministic=True, seed=1, seed2=2
    ... ).output.shape
    TensorShape([1, 3, 2, 1])
    """
    if random_state.deterministic() and not (seed and seed2 and deterministic):
        raise ValueError(
            'tf.compat.v1.nn.fractional_max_pool requires "seed" and "seed2" to be non-zero and "deterministic" to be '
            'true when op determinism is enabled. Please pass in such values, e.g. by passing"seed=1, seed2=1, '
            f'deterministic=True". Got: seed={seed}, seed2={seed2}, deterministic={deterministic}'
        )
    return _pooled(
        FractionalMaxPool, value, pooling_ratio, pseudo_random, overlapping, _fixed(deterministic, seed, seed2), name
    )


@export("compat.v1.nn.fractional_avg_pool")
@with_sections(_FRACTIONAL, where="")
@with_sections(_OF_SEEDS)
def fractional_avg_pool_v1(
    value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0, name=None
):
    """`tf.nn.fractional_avg_pool` with both seeds of the op.

    >>> tf.compat.v1.nn.fractional_avg_pool(
    ...     tf.ones([1, 5, 4, 1]), [1.0, 1.5, 1.5, 1.0], deterministic=True, seed=1
    ... ).output.shape
    TensorShape([1, 3, 2, 1])
    """
    return _pooled(
        FractionalAvgPool, value, pooling_ratio, pseudo_random, overlapping, _fixed(deterministic, seed, seed2), name
    )
