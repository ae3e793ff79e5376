"""Where `AutoShardDataset` divides a pipeline. All results are TensorFlow's."""

import pytest

import reflow as tf
from reflow.distribute.auto_shard import has_files

D = tf.data.Dataset
AUTO, FILE, DATA = (tf.data.experimental.AutoShardPolicy[name] for name in ("AUTO", "FILE", "DATA"))
read = tf.data.TFRecordDataset


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """Ten files; record r of file f is "fr"."""
    folder = tmp_path_factory.mktemp("records")
    found = [str(folder / str(f)) for f in range(10)]
    for f, name in enumerate(found):
        with tf.io.TFRecordWriter(name) as writer:
            for r in range(3):
                writer.write(b"%d%d" % (f, r))
    return found


def shard(dataset, workers, index, policy=AUTO, replicas=0):
    numbers = tf.constant(workers, tf.int64), tf.constant(index, tf.int64)
    return dataset._then("AutoShardDataset", numbers, {"auto_shard_policy": int(policy), "num_replicas": replicas})


def texts(dataset):
    return b" ".join(x for x in dataset.as_numpy_iterator()).decode()


FILES = "10 11 12 50 51 52 90 91 92"
RECORDS = "01 12 30 41 52 70 81 92"
PIPELINES = {  # the second of four parts
    "flat_map": (lambda n: n.flat_map(read), FILES),
    "interleave": (lambda n: n.interleave(read, cycle_length=1, num_parallel_calls=2), FILES),
    "map of readers": (lambda n: n.map(read).prefetch(1).flat_map(lambda x: x), FILES),
    "lists of readers": (
        lambda n: D.from_tensor_slices([n.map(read)]).flat_map(lambda x: x).prefetch(1).flat_map(lambda x: x), FILES
    ),
    "assert_cardinality": (lambda n: n.flat_map(read).apply(tf.data.experimental.assert_cardinality(30)), FILES),
    "passed on": (lambda n: n.flat_map(read).batch(2).unbatch().filter(lambda x: True).cache().prefetch(1), FILES),
    "unique": (lambda n: n.flat_map(read).unique(), RECORDS),
    "take_while": (lambda n: n.flat_map(read).take_while(lambda x: True), RECORDS),
    "scan": (lambda n: n.flat_map(read).scan(0, lambda s, x: (s, x)), RECORDS),
    "choose": (lambda n: D.choose_from_datasets([n.flat_map(read)], D.range(1).repeat(30)), RECORDS),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_files_or_records(names, name):
    make, expected = PIPELINES[name]
    dataset = make(D.from_tensor_slices(names))
    assert has_files(dataset._variant_tensor._value) is (expected is FILES)
    assert texts(shard(dataset, 4, 1)) == expected
    assert texts(shard(dataset, 4, 1, DATA)) == RECORDS
    if expected is FILES:
        assert texts(shard(dataset, 4, 1, FILE)) == FILES
    else:
        with pytest.raises(tf.errors.NotFoundError, match="Did not find a shardable source"):
            shard(dataset, 4, 1, FILE)


def test_both_inputs_must_have_files(names):
    records = D.from_tensor_slices(names).flat_map(read)
    both = shard(records.concatenate(records), 4, 1)
    assert texts(both) == f"{FILES} {FILES}"
    with pytest.raises(tf.errors.NotFoundError, match="Found an unshardable source dataset: RangeDataset"):
        shard(D.zip(records, D.range(100)), 4, 1, FILE)


def test_shuffled_names_are_dealt_before(names):
    shuffled = D.from_tensor_slices(names).shuffle(10, seed=1).prefetch(1).flat_map(read)
    parts = [texts(shard(shuffled, 3, i)).split() for i in range(3)]
    assert sorted(sum(parts, [])) == sorted(f"{f}{r}" for f in range(10) for r in range(3))
    assert {record[0] for record in parts[1]} == set("147")


def test_the_shard_stands_before_what_reads_ahead():
    numbers = D.range(4)._then("AssertNextDataset", (tf.constant(["Shard", "Prefetch"]),)).prefetch(1)
    assert [int(x) for x in shard(numbers, 2, 0)] == [0, 2]


@pytest.mark.parametrize("index, expected", [(0, [[0, 1], [4, 5]]), (1, [[2, 3], [6, 7]]), (2, [[], []])])
def test_batches_are_divided_between_replicas(index, expected):
    dataset = D.range(8).batch(4).rebatch([1, 2, 1])
    assert [x.tolist() for x in shard(dataset.prefetch(1), 3, index, replicas=3).as_numpy_iterator()] == expected
    with pytest.raises(tf.errors.InvalidArgumentError, match="`num_replicas` is 0, but expected to be >= 1"):
        shard(dataset, 3, index)


def test_too_few_elements():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"only has 1 file\(s\), .* required 10 shards"):
        list(shard(D.range(5), 10, 0))
    assert list(shard(D.range(5), 10, 9)) == list(shard(D.range(0), 10, 0)) == []


@pytest.mark.parametrize(
    "workers, index, message",
    [(2, 2, "index must be between 0 and 1"), (2, -1, "index must"), (0, 0, "num_workers must")],
)
def test_wrong_numbers(workers, index, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        shard(D.range(5), workers, index)
