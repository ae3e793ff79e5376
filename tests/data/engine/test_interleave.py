"""`interleave` in order, and by threads as elements are ready."""

import threading

import pytest

import reflow as tf

D = tf.data.Dataset


def waiting(first: threading.Event):
    """A dataset of two generators of three elements, the first of which waits for an event."""

    def generate(number):
        if number == 0:
            assert first.wait(60)
        yield from range(10 * number, 10 * number + 3)

    return lambda x: D.from_generator(generate, args=(x,), output_signature=tf.TensorSpec([], tf.int64))


def interleaved(first, deterministic, options=None, **arguments):
    dataset = D.range(2).interleave(
        waiting(first), cycle_length=2, num_parallel_calls=2, deterministic=deterministic, **arguments
    )
    return dataset.with_options(options) if options else dataset


def unordered_options():
    options = tf.data.Options()
    options.deterministic = False
    options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
    return options


@pytest.mark.parametrize(
    "deterministic, options", [(False, None), (None, unordered_options()), (False, unordered_options())]
)
def test_a_slow_dataset_is_passed(deterministic, options):
    """The first dataset goes on when all of the second was read: in order, this would never end."""
    first = threading.Event()
    iterator = iter(interleaved(first, deterministic, options))
    assert [int(next(iterator)) for _ in range(3)] == [10, 11, 12]
    first.set()
    assert [int(x) for x in iterator] == [0, 1, 2]


@pytest.mark.parametrize("deterministic, options", [(True, unordered_options()), (None, None), (True, None)])
def test_order_is_kept(deterministic, options):
    first = threading.Event()
    first.set()
    assert [int(x) for x in interleaved(first, deterministic, options)] == [0, 10, 1, 11, 2, 12]


def test_more_datasets_than_slots():
    dataset = D.range(5).interleave(
        lambda x: D.from_generator(
            lambda n: iter(range(int(n))), args=(x,), output_signature=tf.TensorSpec([], tf.int64)
        ),
        cycle_length=3, block_length=2, num_parallel_calls=2, deterministic=False,
    )
    for _ in range(3):
        assert sorted(int(x) for x in dataset) == [0, 0, 0, 0, 1, 1, 1, 2, 2, 3]


def test_an_error_comes_and_others_go_on():
    def generate(number):
        yield number
        if number == 1:
            raise ValueError("broken")
        yield number

    iterator = iter(D.range(3).interleave(
        lambda x: D.from_generator(generate, args=(x,), output_signature=tf.TensorSpec([], tf.int64)),
        cycle_length=3, num_parallel_calls=3, deterministic=False,
    ))
    found, failures = [], 0
    while True:
        try:
            found.append(int(next(iterator)))
        except StopIteration:
            break
        except tf.errors.InvalidArgumentError as error:
            assert "broken" in str(error)
            failures += 1
    assert sorted(found) == [0, 0, 1, 2, 2] and failures == 1


@pytest.mark.parametrize("read", range(7))
def test_a_position_loses_nothing(tmp_path, read):
    first = threading.Event()
    first.set()
    dataset = interleaved(first, False, unordered_options())
    iterator = iter(dataset)
    before = [int(next(iterator)) for _ in range(read)]
    checkpoint = tf.train.Checkpoint(iterator=iterator)
    path = checkpoint.write(str(tmp_path / "position"))
    rest = [int(x) for x in iterator]
    assert sorted(before + rest) == [0, 1, 2, 10, 11, 12]
    fresh = iter(dataset)
    tf.train.Checkpoint(iterator=fresh).read(path)
    assert sorted([int(x) for x in fresh]) == sorted(rest)
    checkpoint.read(path)
    assert sorted([int(x) for x in iterator]) == sorted(rest)


def test_sloppy_of_the_older_function():
    first = threading.Event()
    iterator = iter(
        D.range(2).apply(tf.data.experimental.parallel_interleave(waiting(first), cycle_length=2, sloppy=True))
    )
    assert [int(next(iterator)) for _ in range(3)] == [10, 11, 12]
    first.set()
    assert [int(x) for x in iterator] == [0, 1, 2]


def checked(x):
    """`x`, or an InvalidArgumentError where it is 5."""
    with tf.control_dependencies([tf.debugging.assert_none_equal(x, tf.constant(5, tf.int64))]):
        return tf.identity(x)


def outcomes(dataset):
    """The elements, with "!" for each error."""
    iterator, found = iter(dataset), ""
    while True:
        try:
            found += str(int(next(iterator)))
        except StopIteration:
            return found
        except tf.errors.InvalidArgumentError:
            found += "!"


SOURCE = D.from_tensor_slices(tf.constant([4, 5, 6], tf.int64)).repeat(2)
BROKEN = {  # each fails where the element is 5: the input, the function, the datasets that it gives
    "input": lambda interleave: interleave(SOURCE.map(checked), lambda x: D.from_tensors(x).repeat(x)),
    "function": lambda interleave: interleave(SOURCE, lambda x: D.from_tensors(x).repeat(checked(x))),
    "datasets": lambda interleave: interleave(SOURCE, lambda x: D.from_tensors(x).repeat(x).map(checked)),
}
EXPECTED = {  # recorded from TensorFlow, for blocks of one element and of three
    ("input", None): ("4!646464664644!6466666", "444!666466 6444 4!666666"),
    ("function", None): ("4!646464664644!6466666", "444!666466 6444 4!666666"),
    ("datasets", None): ("4!!!!!464646646 4644!!!!!666666", "444!!!!!4666444666 4!!!!!666666"),
    ("input", 2): ("4!446466464 646 4!666666", "444!46664446664!666666"),
    ("function", 2): ("4!446466464 646 4!666666", "444!46664446664!666666"),
    ("datasets", 2): ("4!4!4!4!!664646464 6!6!6!6!6!66", "444!!!4!!6664446664!!!666!!666"),
}


@pytest.mark.parametrize("block", [1, 3])
@pytest.mark.parametrize("place, calls", EXPECTED)
def test_after_an_error(place, calls, block):
    """A sequential interleave goes on with the same dataset, in a parallel one the error is an element of its block."""
    interleave = lambda source, f: source.interleave(f, 2, block, num_parallel_calls=calls)
    assert outcomes(BROKEN[place](interleave)) == EXPECTED[place, calls][block == 3].replace(" ", "")
    if calls:
        legacy = tf.data.experimental.parallel_interleave
        older = lambda source, f: source.apply(legacy(f, 2, block))
        assert outcomes(BROKEN[place](older)) == EXPECTED[place, calls][block == 3].replace(" ", "")


def test_a_position_after_an_error():
    dataset = BROKEN["function"](lambda source, f: source.interleave(f, 2, num_parallel_calls=2))
    iterator = iter(dataset)
    assert int(next(iterator)) == 4
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iterator)
    position = iterator._save()
    fresh = iter(dataset)
    fresh._restore(position)
    assert [int(next(fresh)) for _ in range(8)] == [4, 4, 6, 4, 6, 6, 4, 6]


def test_datasets_that_sleep_are_read_by_threads():
    """The first dataset pauses before each element; the other is read meanwhile."""
    of = lambda x: D.range(10 * x, 10 * x + 3)
    slow = lambda x: tf.cond(
        x == 0, lambda: sleeping(of(x), 500_000)._variant_tensor, lambda: sleeping(of(x), 0)._variant_tensor
    )
    function = lambda x: tf.data.experimental.from_variant(slow(x), tf.TensorSpec([], tf.int64))
    dataset = D.range(2).interleave(function, cycle_length=2, num_parallel_calls=2, deterministic=False)
    assert int(next(iter(dataset))) == 10


def sleeping(dataset, microseconds):
    return dataset._then("SleepDataset", (tf.constant(microseconds, tf.int64),))


@pytest.mark.parametrize(
    "calls, message", [(None, "cycle_length must be greater"), (2, "`cycle_length` must be `tf.data.AUTOTUNE`")]
)
def test_wrong_sizes(calls, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        D.range(3).interleave(D.range, cycle_length=0, num_parallel_calls=calls)
    with pytest.raises(tf.errors.InvalidArgumentError, match="block_length"):
        D.range(3).interleave(D.range, block_length=0, num_parallel_calls=calls)
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_parallel_calls must be greater than zero"):
        D.range(3).interleave(D.range, num_parallel_calls=0)


@pytest.mark.parametrize("sizes, message", [
    ((0, 1, 1, 0), "`cycle_length` must be > 0"), ((1, 0, 1, 0), "`block_length` must be > 0"),
    ((1, 1, 0, 0), "`buffer_output_elements` must be > 0"), ((1, 1, 1, -1), "`prefetch_input_elements` must be >= 0"),
])  # fmt: skip
def test_wrong_sizes_of_the_older_function(sizes, message):
    cycle, block, outputs, inputs = sizes
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        D.range(3).apply(tf.data.experimental.parallel_interleave(D.range, cycle, block, False, outputs, inputs))
