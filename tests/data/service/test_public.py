"""The data service as users call it, with workers in this process and in another."""

import subprocess
import sys

import pytest

import reflow as tf
from reflow import native
from reflow.data.service import clients, servers

S = tf.data.experimental.service
D = tf.data.Dataset


@pytest.fixture
def dispatcher():
    server = S.DispatchServer()
    yield server
    server._stop()


def worker_of(dispatcher):
    return S.WorkerServer(S.WorkerConfig(dispatcher._address, heartbeat_interval_ms=100))


def numbers(ds):
    return sorted(int(x) for b in ds for x in b)


ANYWHERE = ["localhost:%port%"] * 2  # two workers, at any port


@pytest.mark.parametrize("policy", [S.ShardingPolicy.DATA, S.ShardingPolicy.HINT])
def test_policies_that_need_a_list_of_workers(dispatcher, policy):
    worker = worker_of(dispatcher)
    try:
        with pytest.raises(tf.errors.NotFoundError, match="is not in the workers list. Got workers list"):
            next(iter(D.range(3).apply(S.distribute(policy, dispatcher.target))))
    finally:
        worker._stop()


def test_a_worker_of_the_list_that_is_missing_has_its_part():
    dispatcher = S.DispatchServer(S.DispatcherConfig(worker_addresses=["localhost:1", "localhost"]))
    worker = worker_of(dispatcher)
    try:
        assert (
            [int(x) for x in D.range(8).apply(S.distribute(S.ShardingPolicy.DATA, dispatcher.target))] == [1, 3, 5, 7]
        )
        with pytest.raises(
            RuntimeError, match="Failed to perform worker heartbeat: Failed to assign an index for worker localhost"
        ):
            worker_of(dispatcher)
    finally:
        worker._stop()
        dispatcher._stop()


def test_compression_on_the_wire(dispatcher, monkeypatch):
    worker, sizes = worker_of(dispatcher), []
    decode = clients.decode_element
    monkeypatch.setattr(
        clients, "decode_element", lambda content, blobs: sizes.append(len(blobs[0])) or decode(content, blobs)
    )
    try:
        for compression in ("SNAPPY", None, "AUTO"):
            ds = D.from_tensors(tf.zeros([10_000])).apply(
                S.distribute("parallel_epochs", dispatcher.target, compression=compression)
            )
            assert [float(tf.reduce_sum(x)) for x in ds] == [0.0]
    finally:
        worker._stop()
    assert sizes[1] == sizes[2] > 40_000
    assert sizes[0] < 4_000 or not native.available()


def test_policies():
    dispatcher = S.DispatchServer(S.DispatcherConfig(worker_addresses=ANYWHERE))
    workers = [worker_of(dispatcher) for _ in range(2)]
    ds = D.range(10).map(lambda x: x * x).batch(3)
    try:
        for mode, times in (("parallel_epochs", 2), ("distributed_epoch", 1), (S.ShardingPolicy.DATA, 1)):
            found = numbers(ds.apply(S.distribute(mode, dispatcher.target)))
            assert found == sorted([i * i for i in range(10)] * times)
        shared = [
            iter(D.range(6).apply(S.distribute("distributed_epoch", dispatcher.target, job_name="one")))
            for _ in range(2)
        ]
        assert sorted(int(x) for it in shared for x in it) == list(range(6))
        hinted = D.range(7).shard(tf.data.experimental.SHARD_HINT, 0).batch(2)
        assert numbers(hinted.apply(S.distribute(S.ShardingPolicy.HINT, dispatcher.target))) == list(range(7))
        known = S.register_dataset(dispatcher.target, ds)
        again = S.from_dataset_id("distributed_epoch", dispatcher.target, known)
        assert again.element_spec == ds.element_spec and numbers(again) == [i * i for i in range(10)]
        broken = D.range(3).map(lambda x: tf.gather([5, 6], x)).apply(
            S.distribute("parallel_epochs", dispatcher.target)
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match="indices"):
            list(broken)
    finally:
        for worker in workers:
            worker._stop()
        dispatcher._stop()


def test_consumers_and_trainers(dispatcher):
    workers = [worker_of(dispatcher) for _ in range(2)]
    ds = D.range(100).repeat()

    def served(**arguments):
        return iter(
            ds.apply(S.distribute("parallel_epochs", dispatcher.target, job_name=str(sorted(arguments)), **arguments))
        )

    def read(iterator, count):
        return [int(next(iterator)) for _ in range(count)]

    try:
        consumers = [served(consumer_index=i, num_consumers=3) for i in range(3)]
        # from one worker, then the other
        assert [read(c, 5) for c in consumers] == [[i, i, i + 3, i + 3, i + 6] for i in range(3)]
        trainers = [served(cross_trainer_cache=S.CrossTrainerCache(t)) for t in "ab"]
        assert [read(t, 4) for t in trainers] == [[0, 0, 1, 1]] * 2
        assert read(served(target_workers="local"), 2) == [0, 0]
        servers.LOCAL.clear()
        with pytest.raises(tf.errors.InvalidArgumentError, match="no local worker is found"):
            next(served(target_workers="LOCAL"))
    finally:
        for worker in workers:
            worker._stop()


WORKER = """
import reflow as tf, sys
service = tf.data.experimental.service
server = service.WorkerServer(service.WorkerConfig(sys.argv[1], heartbeat_interval_ms=100))
print("ready", flush=True)
sys.stdin.read()
"""


def test_a_worker_process_that_is_killed_and_another_that_goes_on(dispatcher):
    def start():
        process = subprocess.Popen(
            [sys.executable, "-c", WORKER, dispatcher._address], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout.readline() == "ready\n"
        return process

    first = start()
    iterator = iter(D.range(30).apply(S.distribute("distributed_epoch", dispatcher.target)))
    found = [int(next(iterator)) for _ in range(5)]
    first.kill()
    first.communicate()
    second = worker_of(dispatcher)
    try:
        found += [int(x) for x in iterator]
    finally:
        second._stop()
    assert found == list(range(30))  # every index is handed out once, and no element was on its way


@pytest.mark.parametrize("fault_tolerant", [True, False])
def test_a_dispatcher_that_is_started_again(tmp_path, fault_tolerant):
    """With a journal nothing is lost or repeated. Without one, the new dispatcher knows no job of the old."""

    def start(port=0):
        return S.DispatchServer(S.DispatcherConfig(port, work_dir=tmp_path, fault_tolerant_mode=fault_tolerant))

    first = start()
    workers = [worker_of(first) for _ in range(2)]
    iterator = iter(D.range(40).apply(S.distribute("distributed_epoch", first.target, job_name="one")))
    found = [int(next(iterator)) for _ in range(11)]
    port = first._running.port
    first.stop()
    second = start(port)
    try:
        if fault_tolerant:
            assert sorted(found + [int(x) for x in iterator]) == list(range(40))
            assert not list(D.range(40).apply(S.distribute("distributed_epoch", second.target, job_name="one")))
        else:
            with pytest.raises(tf.errors.NotFoundError, match="Unknown job"):
                list(iterator)
    finally:
        for server in (*workers, second):
            server.stop()


def test_arguments_that_cannot_be():
    for arguments, text in (
        ({"processing_mode": "sometimes", "service": "grpc://localhost:1"}, "processing mode should be"),
        ({"processing_mode": "parallel_epochs", "service": ""}, "must not be empty"),
        ({"processing_mode": "parallel_epochs", "service": "carrier://pigeon"}, "speaks gRPC"),
    ):
        with pytest.raises(ValueError, match=text):
            S.distribute(**arguments)
    cache = S.CrossTrainerCache("a")
    for arguments, error, text in (
        ({"consumer_index": 0, "num_consumers": 2}, ValueError, "must be set when setting"),
        ({"num_consumers": 2, "job_name": "j"}, ValueError, "both `consumer_index` and"),
        ({"job_name": ""}, ValueError, "must not be empty"),
        ({"max_outstanding_requests": 0}, tf.errors.InvalidArgumentError, "positive or -1"),
        ({"target_workers": "NEAR"}, tf.errors.InvalidArgumentError, "Unrecognized target workers: NEAR"),
        ({"cross_trainer_cache": cache}, tf.errors.InvalidArgumentError, "requires named jobs"),
        (
            {"cross_trainer_cache": cache, "job_name": "j", "consumer_index": 0, "num_consumers": 2},
            tf.errors.InvalidArgumentError, "does not support coordinated reads",
        ),
    ):
        with pytest.raises(error, match=text):
            iter(S.from_dataset_id("parallel_epochs", "localhost:1", "d", tf.TensorSpec([]), **arguments))
    with pytest.raises(ValueError, match="dispatcher_address"):
        S.WorkerServer(S.WorkerConfig(""))
    with pytest.raises(ValueError, match="without configuring a work dir"):
        S.DispatchServer(S.DispatcherConfig(fault_tolerant_mode=True))
