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
    dataset = D.range(2).interleave(waiting(first), cycle_length=2, num_parallel_calls=2, deterministic=deterministic, **arguments)
    return dataset.with_options(options) if options else dataset


def unordered_options():
    options = tf.data.Options()
    options.deterministic = False
    options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
    return options


@pytest.mark.parametrize("deterministic, options", [(False, None), (None, unordered_options()), (False, unordered_options())])
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
        lambda x: D.from_generator(lambda n: iter(range(int(n))), args=(x,), output_signature=tf.TensorSpec([], tf.int64)),
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
    iterator = iter(D.range(2).apply(tf.data.experimental.parallel_interleave(waiting(first), cycle_length=2, sloppy=True)))
    assert [int(next(iterator)) for _ in range(3)] == [10, 11, 12]
    first.set()
    assert [int(x) for x in iterator] == [0, 1, 2]
