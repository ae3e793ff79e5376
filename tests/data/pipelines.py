"""Pipelines, each listed once: functions of the TensorFlow module that return a dataset.

`tools/golden/data.py` runs them under real TensorFlow and records specs, cardinalities and elements of two passes in
`tests/golden/data/pipelines.json`; `test_pipelines.py` runs them under Reflow in every mode and compares. Infinite ones
are cut to `LIMIT` elements.
"""

import collections

import numpy as np

LIMIT = 25
PIPELINES = {}


def pipeline(function):
    PIPELINES[function.__name__] = function
    return function


Point = collections.namedtuple("Point", ["x", "y"])


# --- sources


@pipeline
def range_1(tf):
    return tf.data.Dataset.range(5)


@pipeline
def range_3(tf):
    return tf.data.Dataset.range(10, 0, -3)


@pipeline
def range_empty(tf):
    return tf.data.Dataset.range(5, 0)


@pipeline
def range_float(tf):
    return tf.data.Dataset.range(1, 4, output_type=tf.float32)


@pipeline
def from_tensors(tf):
    return tf.data.Dataset.from_tensors(([1, 2], {"a": 3.0, "b": "text"}))


@pipeline
def from_tensors_none(tf):
    return tf.data.Dataset.from_tensors((tf.constant(1), None))


@pipeline
def slices_array(tf):
    return tf.data.Dataset.from_tensor_slices(np.arange(6, dtype=np.float64).reshape(3, 2))


@pipeline
def slices_list_is_a_tensor(tf):
    return tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])


@pipeline
def slices_dict(tf):
    return tf.data.Dataset.from_tensor_slices({"x": [1.0, 2.0], "a": ([1, 2], ["p", "q"])})


@pipeline
def slices_namedtuple(tf):
    return tf.data.Dataset.from_tensor_slices(Point([1, 2], [3, 4]))


@pipeline
def slices_bool_and_complex(tf):
    return tf.data.Dataset.from_tensor_slices(
        (np.array([True, False]), np.array([1 + 2j, 3]), np.array([1, 2], np.uint8))
    )


@pipeline
def generator_signature(tf):
    def generate():
        for i in range(3):
            yield i, np.full([i], i, np.float32)

    return tf.data.Dataset.from_generator(generate, output_signature=(
        tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.float32)))


@pipeline
def generator_types(tf):
    return tf.data.Dataset.from_generator(lambda: iter([1, 2, 3]), tf.int64)


@pipeline
def generator_types_and_shapes(tf):
    return tf.data.Dataset.from_generator(
        lambda: iter([([1, 2], "a"), ([3, 4], "b")]), (tf.int32, tf.string), ([2], [])
    )


@pipeline
def generator_args(tf):
    return tf.data.Dataset.from_generator(lambda n: iter(range(n)), tf.int32, [], args=(3,))


@pipeline
def generator_dict(tf):
    return tf.data.Dataset.from_generator(lambda: iter([{"a": 1, "b": [2.0]}]), output_signature={
        "a": tf.TensorSpec([], tf.int32), "b": tf.TensorSpec([1], tf.float32)})


@pipeline
def generator_repeated_and_batched(tf):
    return tf.data.Dataset.from_generator(lambda: iter([1, 2, 3]), tf.int32, []).repeat(2).batch(4)


@pipeline
def random_seeded(tf):
    return tf.data.Dataset.random(seed=4).take(6)


@pipeline
def random_rerandomized(tf):
    return tf.data.Dataset.random(seed=4, rerandomize_each_iteration=True).take(3)


@pipeline
def counter(tf):
    return tf.data.Dataset.counter(start=3, step=2)


@pipeline
def zip_tuple(tf):
    a = tf.data.Dataset.range(3)
    return tf.data.Dataset.zip((a, a.map(lambda x: x * 10).skip(1)))


@pipeline
def zip_nested(tf):
    a = tf.data.Dataset.range(2)
    return tf.data.Dataset.zip({"k": a, "p": (a, a.batch(1))})


@pipeline
def zip_args(tf):
    return tf.data.Dataset.zip(tf.data.Dataset.range(2), tf.data.Dataset.range(5))


@pipeline
def choose(tf):
    parts = [tf.data.Dataset.from_tensors(s).repeat() for s in ("foo", "bar", "baz")]
    return tf.data.Dataset.choose_from_datasets(parts, tf.data.Dataset.range(3).repeat(2))


@pipeline
def choose_stops(tf):
    parts = [tf.data.Dataset.range(2), tf.data.Dataset.range(10, 15)]
    return tf.data.Dataset.choose_from_datasets(parts,
                                                tf.data.Dataset.from_tensor_slices(np.array([0, 0, 0, 1, 1], np.int64)))


@pipeline
def choose_goes_on(tf):
    parts = [tf.data.Dataset.range(2), tf.data.Dataset.range(10, 15)]
    choices = tf.data.Dataset.from_tensor_slices(np.array([0, 0, 0, 1, 1], np.int64))
    return tf.data.Dataset.choose_from_datasets(parts, choices, stop_on_empty_dataset=False)


@pipeline
def sample(tf):
    parts = [tf.data.Dataset.range(5), tf.data.Dataset.range(10, 20)]
    return tf.data.Dataset.sample_from_datasets(parts, seed=3)


@pipeline
def sample_weighted(tf):
    parts = [tf.data.Dataset.range(5), tf.data.Dataset.range(10, 20), tf.data.Dataset.range(3)]
    return tf.data.Dataset.sample_from_datasets(parts, weights=[0.2, 0.8, 0.0], seed=3, stop_on_empty_dataset=True)


# --- functions of elements


@pipeline
def map_simple(tf):
    return tf.data.Dataset.range(4).map(lambda x: x * 2 + 1)


@pipeline
def map_tuple_arguments(tf):
    return tf.data.Dataset.from_tensor_slices(([1, 2], [10, 20])).map(lambda a, b: a + b)


@pipeline
def map_dict(tf):
    return tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [3, 4]}).map(
        lambda d: {"s": d["a"] + d["b"], "d": d["a"]}
    )


@pipeline
def map_returns_list(tf):
    return tf.data.Dataset.range(2).map(lambda x: [x, x + 1])


@pipeline
def map_returns_none(tf):
    return tf.data.Dataset.range(2).map(lambda x: (x, None))


@pipeline
def map_returns_constant(tf):
    return tf.data.Dataset.range(2).map(lambda x: (x, 1.5, "s"))


@pipeline
def map_captures(tf):
    table = tf.constant(np.arange(200.0, dtype=np.float32))
    return tf.data.Dataset.range(3).map(lambda i: tf.gather(table, i * 10))


@pipeline
def map_variable(tf):
    v = tf.Variable(5, dtype=tf.int64)
    return tf.data.Dataset.range(3).map(lambda i: i * v)


@pipeline
def map_parallel(tf):
    return tf.data.Dataset.range(10).map(lambda x: x * x, num_parallel_calls=tf.data.AUTOTUNE)


@pipeline
def map_shapes_change(tf):
    return tf.data.Dataset.range(1, 4).map(lambda x: tf.range(x))


@pipeline
def flat_map_slices(tf):
    return tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).flat_map(tf.data.Dataset.from_tensor_slices)


@pipeline
def flat_map_lengths(tf):
    return tf.data.Dataset.range(4).flat_map(tf.data.Dataset.range)


@pipeline
def flat_map_concatenates(tf):
    def parts(x):
        whole = tf.data.Dataset.from_tensor_slices(tf.reshape(x[:4], [2, 2]))
        return whole.concatenate(tf.data.Dataset.from_tensors(x[4:]))

    return tf.data.Dataset.from_tensors(np.arange(5)).repeat(2).flat_map(parts)


@pipeline
def interleave_sequential(tf):
    return tf.data.Dataset.range(1, 6).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(6), cycle_length=2,
                                                  block_length=4)


@pipeline
def interleave_uneven(tf):
    return tf.data.Dataset.range(6).interleave(tf.data.Dataset.range, cycle_length=3, block_length=2)


@pipeline
def interleave_parallel(tf):
    return tf.data.Dataset.range(1, 6).interleave(
        lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2, num_parallel_calls=2)


@pipeline
def interleave_parallel_uneven(tf):
    return tf.data.Dataset.range(7).interleave(
        tf.data.Dataset.range, cycle_length=3, block_length=1, num_parallel_calls=3
    )


@pipeline
def filter_odd(tf):
    return tf.data.Dataset.range(8).filter(lambda x: x % 2 == 1)


@pipeline
def filter_tuple(tf):
    return tf.data.Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"])).filter(lambda i, s: i > 1)


@pipeline
def take_while(tf):
    return tf.data.Dataset.range(10).take_while(lambda x: x < 4)


@pipeline
def scan_sum(tf):
    return tf.data.Dataset.range(5).scan(np.int64(0), lambda s, x: (s + x, (s, x)))


@pipeline
def group_windows(tf):
    return tf.data.Dataset.range(10).group_by_window(lambda x: x % 3, lambda k, w: w.batch(2), window_size=2)


@pipeline
def group_windows_rest(tf):
    return tf.data.Dataset.range(10).group_by_window(
        lambda x: 5 - x % 4, lambda k, w: w.batch(10).map(lambda b: (k, b)), window_size_func=lambda k: k)


@pipeline
def apply_repeat(tf):
    return tf.data.Dataset.range(2).apply(lambda d: d.repeat(2))


# --- batches


@pipeline
def batch_rest(tf):
    return tf.data.Dataset.range(7).batch(3)


@pipeline
def batch_dropped(tf):
    return tf.data.Dataset.range(7).batch(3, drop_remainder=True)


@pipeline
def batch_slices(tf):
    return tf.data.Dataset.from_tensor_slices((np.arange(10.0).reshape(5, 2), [b"a", b"b", b"c", b"d", b"e"])).batch(2)


@pipeline
def batch_parallel(tf):
    return tf.data.Dataset.range(7).map(lambda x: x + 1).batch(3, num_parallel_calls=2)


@pipeline
def batch_twice(tf):
    return tf.data.Dataset.range(7).batch(2).batch(2, drop_remainder=True).take(1)


@pipeline
def padded_default(tf):
    return tf.data.Dataset.range(1, 6).map(lambda x: tf.fill([x], x)).padded_batch(2)


@pipeline
def padded_shapes_and_values(tf):
    ds = tf.data.Dataset.range(1, 5).map(lambda x: (tf.fill([x], x), tf.fill([x, 1], "s")))
    return ds.padded_batch(3, padded_shapes=([6], [None, 2]), padding_values=(tf.constant(-1, tf.int64), "."),
                           drop_remainder=True)


@pipeline
def unbatch_simple(tf):
    return tf.data.Dataset.range(5).batch(2).unbatch()


@pipeline
def unbatch_structure(tf):
    return tf.data.Dataset.from_tensors(([1, 2], {"a": [[3], [4]]})).repeat(2).unbatch()


@pipeline
def rebatch_larger(tf):
    return tf.data.Dataset.range(8).batch(2).rebatch(3)


@pipeline
def rebatch_sizes(tf):
    return tf.data.Dataset.range(8).batch(4).rebatch([2, 1, 1])


@pipeline
def window_batched(tf):
    return tf.data.Dataset.range(7).window(3, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(3))


@pipeline
def window_strided(tf):
    return tf.data.Dataset.range(9).window(2, shift=3, stride=2).flat_map(lambda w: w.batch(2))


@pipeline
def window_gap(tf):
    return tf.data.Dataset.range(12).window(2, shift=5).flat_map(lambda w: w)


@pipeline
def window_pairs(tf):
    ds = tf.data.Dataset.from_tensor_slices(([1, 2, 3, 4], [5, 6, 7, 8])).window(2)
    return ds.flat_map(lambda a, b: tf.data.Dataset.zip((a.batch(2), b.batch(2))))


@pipeline
def bucket(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 5, 2, 3, 8, 1, 6]).map(lambda n: tf.range(n))
    return ds.bucket_by_sequence_length(
        lambda x: tf.shape(x)[0], bucket_boundaries=[3, 6], bucket_batch_sizes=[2, 2, 2]
    )


@pipeline
def bucket_to_boundary(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 5, 2, 3, 1]).map(lambda n: tf.range(n))
    return ds.bucket_by_sequence_length(
        lambda x: tf.shape(x)[0], bucket_boundaries=[3, 6], bucket_batch_sizes=[2, 2, 2], pad_to_bucket_boundary=True)


# --- order


@pipeline
def take_some(tf):
    return tf.data.Dataset.range(5).take(2)


@pipeline
def take_all(tf):
    return tf.data.Dataset.range(5).take(-1)


@pipeline
def skip_some(tf):
    return tf.data.Dataset.range(5).skip(3)


@pipeline
def skip_all(tf):
    return tf.data.Dataset.range(5).skip(-1)


@pipeline
def repeat_twice(tf):
    return tf.data.Dataset.range(3).repeat(2)


@pipeline
def repeat_forever(tf):
    return tf.data.Dataset.range(3).repeat()


@pipeline
def repeat_empty(tf):
    return tf.data.Dataset.range(0).repeat()


@pipeline
def repeat_zero(tf):
    return tf.data.Dataset.range(3).repeat(0)


@pipeline
def concatenate_shapes(tf):
    return tf.data.Dataset.from_tensors([1, 2]).concatenate(tf.data.Dataset.from_tensors([3]))


@pipeline
def enumerate_from(tf):
    return tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(start=5)


@pipeline
def shard_second(tf):
    return tf.data.Dataset.range(10).shard(3, 1)


@pipeline
def shuffle_small_buffer(tf):
    return tf.data.Dataset.range(20).shuffle(5, seed=42)


@pipeline
def shuffle_whole(tf):
    return tf.data.Dataset.range(20).shuffle(100, seed=7)


@pipeline
def shuffle_fixed(tf):
    return tf.data.Dataset.range(10).shuffle(10, seed=7, reshuffle_each_iteration=False)


@pipeline
def shuffle_repeat(tf):
    return tf.data.Dataset.range(5).shuffle(3, seed=1).repeat(3)


@pipeline
def shuffle_repeat_forever(tf):
    return tf.data.Dataset.range(4).shuffle(10, seed=1).repeat()


@pipeline
def shuffle_batch(tf):
    return tf.data.Dataset.range(10).shuffle(10, seed=9).batch(4)


@pipeline
def shuffle_map_repeat(tf):
    return tf.data.Dataset.range(4).shuffle(10, seed=1).map(lambda x: x + 1).repeat(2)


@pipeline
def shuffle_global_seed(tf):
    tf.random.set_seed(12)
    return tf.data.Dataset.range(10).shuffle(4)


@pipeline
def shuffle_both_seeds(tf):
    tf.random.set_seed(12)
    return tf.data.Dataset.range(10).shuffle(4, seed=3)


@pipeline
def prefetch_1(tf):
    return tf.data.Dataset.range(6).map(lambda x: x + 1).prefetch(1)


@pipeline
def prefetch_autotune(tf):
    return tf.data.Dataset.range(6).prefetch(tf.data.AUTOTUNE)


@pipeline
def prefetch_zero(tf):
    return tf.data.Dataset.range(3).prefetch(0)


@pipeline
def cache_memory(tf):
    return tf.data.Dataset.range(5).shuffle(5, seed=2).cache()


@pipeline
def unique(tf):
    return tf.data.Dataset.from_tensor_slices([1, 37, 2, 37, 2, 1]).unique()


@pipeline
def options(tf):
    options = tf.data.Options()
    options.deterministic = True
    return tf.data.Dataset.range(3).with_options(options).map(lambda x: x)


@pipeline
def assert_cardinality(tf):
    return tf.data.Dataset.range(6).filter(lambda x: x > 2).apply(tf.data.experimental.assert_cardinality(3))


@pipeline
def ignore_errors(tf):
    return tf.data.Dataset.from_tensor_slices([1, 0, 5, 2]).map(lambda i: tf.gather([10, 20, 30], i)).ignore_errors()


@pipeline
def keras_arrays(tf):
    """What Keras makes of arrays."""
    x, y = np.arange(14, dtype=np.float32).reshape(7, 2), np.arange(7)
    indices = tf.data.Dataset.range(1).map(lambda _: tf.range(7, dtype=tf.int64)).prefetch(1)

    def slice_batch_indices(indices):
        first = tf.reshape(tf.slice(indices, [0], [6]), [3, 2])
        flat = tf.data.Dataset.from_tensor_slices(first)
        return flat.concatenate(tf.data.Dataset.from_tensors(tf.slice(indices, [6], [1])))

    indices = indices.flat_map(slice_batch_indices)
    ds = tf.data.Dataset.zip((indices, tf.data.Dataset.from_tensors((x, y)).repeat()))
    ds = ds.map(lambda i, data: (tf.gather(data[0], i, axis=0), tf.gather(data[1], i, axis=0)),
                num_parallel_calls=tf.data.AUTOTUNE)
    options = tf.data.Options()
    options.experimental_optimization.apply_default_optimizations = False
    ds = ds.with_options(options)
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    return ds.with_options(options).prefetch(tf.data.AUTOTUNE)


# --- what shuffled seeds are drawn, by transformations between shuffle and repeat


def _shuffled(tf):
    return tf.data.Dataset.range(4).shuffle(10, seed=1)


@pipeline
def seeds_batch_repeat(tf):
    return _shuffled(tf).batch(4).repeat(2)


@pipeline
def seeds_prefetch_repeat(tf):
    return _shuffled(tf).prefetch(1).repeat(2)


@pipeline
def seeds_map_repeat_forever(tf):
    return _shuffled(tf).map(lambda x: x).repeat()


@pipeline
def seeds_flat_map(tf):
    return tf.data.Dataset.range(2).flat_map(lambda _: _shuffled(tf))


@pipeline
def seeds_concatenate(tf):
    return _shuffled(tf).concatenate(_shuffled(tf))
