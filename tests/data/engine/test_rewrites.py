"""Which stages a pipeline has after the rewrites that its options ask for.

The names are those that TensorFlow 2.21 reports.
"""

import weakref

import pytest

import reflow as tf
from reflow.data.engine.rewrites import prepared, settings_of
from tests.data.engine.datasets import value_of

AUTOTUNE = tf.data.AUTOTUNE
variable = tf.Variable(1, dtype=tf.int64)


def add(x):
    return x + 1


def two_maps(ds, **how):
    return ds.map(add, **how).map(lambda x: x * 2, **how)


def two_filters(ds):
    return ds.filter(lambda x: x > 1).filter(lambda x: x < 7)


OFF = {"apply_default_optimizations": False}
ROWS = {
    "map": (lambda ds: ds.map(add), {}, "ParallelMap"),
    "map off": (lambda ds: ds.map(add), OFF, "Map"),
    "synchronous map": (lambda ds: ds.map(add, synchronous=True), {}, "Map Prefetch"),
    "map that reads a variable": (lambda ds: ds.map(lambda x: x + variable), {}, "Map Prefetch"),
    "random map": (lambda ds: ds.map(lambda x: x + tf.random.uniform([], 0, 1, tf.int64)), {}, "Map Prefetch"),
    "map that asserts": (
        lambda ds: ds.map(lambda x: x if tf.debugging.assert_less(x, x + 1) is None else x + 1), {}, "ParallelMap"
    ),
    "identity": (lambda ds: ds.map(lambda x: x), {}, "Prefetch"),
    "nothing to do": (lambda ds: ds.take(-1).skip(0).repeat(1).shard(1, 0), {}, "Prefetch"),
    "something to do": (
        lambda ds: ds.take(5).skip(1).repeat(2).shard(2, 0), {}, "FiniteTake FiniteSkip FiniteRepeat[0] Shard Prefetch"
    ),
    "no prefetch is too much": (lambda ds: ds.prefetch(0), OFF | {"noop_elimination": True}, "Prefetch"),
    "map and batch": (lambda ds: ds.map(add).batch(2), {}, "MapAndBatch"),
    "map and batch apart": (
        lambda ds: ds.map(add).batch(2), {"map_and_batch_fusion": False}, "ParallelMap Batch Prefetch"
    ),
    "maps": (two_maps, {"map_fusion": True}, "ParallelMap"),
    "maps in turn": (two_maps, OFF | {"map_fusion": True}, "Map"),
    "maps with two threads": (
        lambda ds: two_maps(ds, num_parallel_calls=2), {"map_fusion": True}, "ParallelMap ParallelMap"
    ),
    "a map and a parallel one": (
        lambda ds: ds.map(add).map(add, num_parallel_calls=AUTOTUNE), {"map_fusion": True}, "ParallelMap"
    ),
    "a map and an unordered one": (
        lambda ds: ds.map(add).map(add, num_parallel_calls=AUTOTUNE, deterministic=False), {"map_fusion": True},
        "ParallelMap ParallelMap",
    ),
    "filters": (two_filters, {"filter_fusion": True}, "Filter Prefetch"),
    "map and filter": (
        lambda ds: ds.map(add).filter(lambda x: x > 2), OFF | {"map_and_filter_fusion": True}, "Map Filter Map"
    ),
    "parallel filters": (two_filters, OFF | {"filter_parallelization": True}, "ParallelFilter ParallelFilter"),
    "shuffle and repeat": (lambda ds: ds.shuffle(3, seed=1).repeat(2), {}, "ShuffleAndRepeat Prefetch"),
    "shuffle and repeat off": (lambda ds: ds.shuffle(3, seed=1).repeat(2), OFF, "Shuffle FiniteRepeat[0]"),
    "shuffle and repeat once": (lambda ds: ds.shuffle(3, seed=1).repeat(1), {}, "Shuffle Prefetch"),
    "parallel batch": (lambda ds: ds.batch(2), OFF | {"parallel_batch": True}, "ParallelBatch"),
    "cache and zip": (
        lambda ds: tf.data.Dataset.zip(tf.data.Dataset.range(9), ds.cache()), OFF, "MemoryCacheImpl Zip[1]"
    ),
    "interleave": (
        lambda ds: ds.interleave(lambda x: tf.data.Dataset.range(x), 2, num_parallel_calls=AUTOTUNE),
        OFF | {"seq_interleave_prefetch": True}, "Interleave",
    ),
}  # fmt: skip


def with_options(ds, chosen, autotune=None):
    options = tf.data.Options()
    for name, on in chosen.items():
        setattr(options.experimental_optimization, name, on)
    if autotune is not None:
        options.autotune.enabled = autotune
    return ds.with_options(options)


def names(dataset) -> list[str]:
    """The names of the stages behind the source, along the path that ends in the last input of each."""
    stage, found = prepared(value_of(dataset))[0], []
    while stage.inputs:
        found.insert(0, stage.label(len(stage.inputs) - 1))
        stage = stage.inputs[-1]
    return [name for name in found if name]


@pytest.mark.parametrize("row", ROWS)
def test_names_are_those_of_tensorflow_and_elements_stay(row):
    chain, chosen, expected = ROWS[row]
    dataset = with_options(chain(tf.data.Dataset.range(8)), chosen)
    assert names(dataset) == expected.split()
    plain = with_options(chain(tf.data.Dataset.range(8)), OFF)
    assert str(list(dataset.as_numpy_iterator())) == str(list(plain.as_numpy_iterator())) or "shuffle" in row


def test_rewrites_that_tune_need_tuning():
    dataset = tf.data.Dataset.range(3).map(add).filter(lambda x: x > 1).batch(2)
    assert names(with_options(dataset, {"filter_parallelization": True}, autotune=False)) == ["Map", "Filter", "Batch"]


def test_options_of_all_places_are_joined_and_later_ones_win():
    first = with_options(tf.data.Dataset.range(3), {"map_fusion": True, "noop_elimination": False})
    joined = settings_of(value_of(with_options(tf.data.Dataset.zip(first, first), {"noop_elimination": True})))
    assert joined.experimental_optimization.map_fusion and joined.experimental_optimization.noop_elimination


def test_datasets_of_functions_are_rewritten_too():
    from reflow.drop_in.python.data.experimental.ops.testing import assert_next

    def inner(x, expected):
        return tf.data.Dataset.range(x).apply(assert_next(expected)).skip(0).cache()

    good = tf.data.Dataset.range(3).flat_map(lambda x: inner(x, ["MemoryCacheImpl", "FlatMap[0]"]))
    assert [int(x) for x in good] == [0, 0, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="encountered MemoryCacheImpl"):
        list(tf.data.Dataset.range(3).flat_map(lambda x: inner(x, ["FiniteSkip"])))


def test_copies_of_a_cache_share_what_it_holds():
    calls = []
    cached = tf.data.Dataset.range(3).map(
        lambda x: tf.py_function(lambda y: calls.append(1) or y, [x], tf.int64)
    ).cache()
    for dataset in (cached, cached.take(-1).batch(2), cached.skip(0).map(add)):
        list(dataset)
    assert len(calls) == 3


def test_options_limit_threads_and_memory():
    options = tf.data.Options()
    options.threading.private_threadpool_size, options.autotune.ram_budget = 1, 1000
    decoded = tf.data.Dataset.from_tensor_slices([b""]).map(tf.io.decode_jpeg, num_parallel_calls=4).prefetch(AUTOTUNE)
    stage = prepared(value_of(decoded.with_options(options)))[0].inputs[0]
    assert stage.budget == 1000 and stage.inputs[0].workers == 1 and not stage.inputs[0].overlaps
    free = prepared(value_of(decoded))[0]
    assert free.budget == 0 and free.inputs[0].workers == 4


@pytest.mark.parametrize(
    "make", [lambda d: d, lambda d: d.map(add).batch(2), lambda d: d.flat_map(tf.data.Dataset.range).repeat(2)]
)
def test_iterators_of_a_dataset_share_its_rewrite_which_dies_with_it(make):
    value = value_of(make(tf.data.Dataset.range(3)))
    first, second = prepared(value)[0], prepared(value)[0]
    assert first is second
    alive = weakref.ref(value)
    del value, first, second
    assert alive() is None
