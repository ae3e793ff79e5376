"""Pipelines that raise, while they are built or while they are read: functions of the TensorFlow module.

`tools/golden/data.py` records what real TensorFlow raises in `tests/golden/data/pipelines.json`; `test_pipelines.py`
compares.
"""

ERRORS = {}


def error(function):
    ERRORS[function.__name__] = function
    return function


@error
def slices_of_different_lengths(tf):
    return tf.data.Dataset.from_tensor_slices(([1, 2], [1, 2, 3]))


@error
def slices_of_a_scalar(tf):
    return tf.data.Dataset.from_tensor_slices(3)


@error
def zip_of_a_list(tf):
    return tf.data.Dataset.zip([tf.data.Dataset.range(2), tf.data.Dataset.range(3)])


@error
def zip_of_a_number(tf):
    return tf.data.Dataset.zip((tf.data.Dataset.range(2), 3))


@error
def zip_of_nothing(tf):
    return tf.data.Dataset.zip()


@error
def concatenate_other_dtype(tf):
    return tf.data.Dataset.range(2).concatenate(tf.data.Dataset.from_tensors(1.0))


@error
def batch_of_unequal_shapes(tf):
    ds = tf.data.Dataset.from_tensors([1, 2]).concatenate(tf.data.Dataset.from_tensors([1, 2, 3]))
    return list(ds.batch(2))


@error
def batch_size_zero(tf):
    return list(tf.data.Dataset.range(2).batch(0))


@error
def shuffle_size_zero(tf):
    return list(tf.data.Dataset.range(2).shuffle(0))


@error
def padded_too_small(tf):
    return list(tf.data.Dataset.range(3, 5).map(lambda n: tf.fill([n], n)).padded_batch(2, [3]))


@error
def padded_statically_too_small(tf):
    return tf.data.Dataset.from_tensors([1, 2]).padded_batch(2, [1])


@error
def padding_of_other_dtype(tf):
    return tf.data.Dataset.from_tensors([1, 2]).padded_batch(2, [3], padding_values=1.0)


@error
def shard_index_too_large(tf):
    return list(tf.data.Dataset.range(3).shard(2, 2))


@error
def filter_without_bool(tf):
    return tf.data.Dataset.range(3).filter(lambda x: x)


@error
def flat_map_without_dataset(tf):
    return tf.data.Dataset.range(3).flat_map(lambda x: x)


@error
def apply_without_dataset(tf):
    return tf.data.Dataset.range(3).apply(lambda d: 3)


@error
def generator_not_callable(tf):
    return tf.data.Dataset.from_generator([1, 2], tf.int32)


@error
def generator_wrong_shape(tf):
    return list(tf.data.Dataset.from_generator(lambda: iter([[1, 2, 3]]), tf.int32, [2]))


@error
def generator_wrong_structure(tf):
    return list(
        tf.data.Dataset.from_generator(lambda: iter([1]), output_signature=(tf.TensorSpec([]), tf.TensorSpec([])))
    )


@error
def generator_raises(tf):
    def generate():
        yield 1
        raise KeyError("lost")

    return list(tf.data.Dataset.from_generator(generate, tf.int32, []))


@error
def generator_raises_value_error(tf):
    def generate():
        yield 1
        raise ValueError("bad value")

    return list(tf.data.Dataset.from_generator(generate, tf.int32, []))


@error
def map_fails(tf):
    return list(tf.data.Dataset.range(3).map(lambda x: tf.gather([10, 20], x)))


@error
def past_the_end(tf):
    iterator = iter(tf.data.Dataset.range(1))
    iterator.get_next()
    return iterator.get_next()


@error
def past_the_end_in_a_function(tf):
    iterator = iter(tf.data.Dataset.range(1))
    read = tf.function(lambda it: it.get_next())
    read(iterator)
    return read(iterator)


@error
def single_element_of_none(tf):
    return tf.data.Dataset.range(0).get_single_element()


@error
def single_element_of_two(tf):
    return tf.data.Dataset.range(2).get_single_element()


@error
def length_of_infinite(tf):
    return len(tf.data.Dataset.range(2).repeat())


@error
def length_of_unknown(tf):
    return len(tf.data.Dataset.range(2).filter(lambda x: x > 0))


@error
def unknown_option(tf):
    tf.data.Options().no_such_option = 1


@error
def option_of_wrong_type(tf):
    tf.data.Options().deterministic = 3


@error
def option_of_a_dataset(tf):
    tf.data.Dataset.range(2).options().deterministic = True


@error
def empty_optional(tf):
    return tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32)).get_value()


@error
def cardinality_less(tf):
    return list(tf.data.Dataset.range(2).apply(tf.data.experimental.assert_cardinality(3)))


@error
def cardinality_more(tf):
    return list(tf.data.Dataset.range(2).apply(tf.data.experimental.assert_cardinality(1)))


@error
def reduce_changes_dtype(tf):
    return tf.data.Dataset.range(2).reduce(0, lambda s, x: s + 1.5)


@error
def unique_of_pairs(tf):
    return tf.data.Dataset.from_tensor_slices(([1], [2])).unique()


@error
def buckets_and_sizes(tf):
    return tf.data.Dataset.range(3).bucket_by_sequence_length(lambda x: x, [1, 2], [1, 2])
