"""The dispatcher's state."""

import pytest

from reflow.core import errors
from reflow.data.service import saves
from reflow.data.service.servers import Dispatcher


def job_of(dispatcher, name="j", client="c", policy="OFF", dataset="1000", consumers=None, cached=False):
    parameters = {"id": dataset, "policy": policy, "consumers": consumers, "cached": cached, "target": "AUTO"}
    return dispatcher.get_or_create_job({"name": name, "client": client, "parameters": parameters}, [])


def dataset_of(dispatcher, fingerprint="1", cardinality=-1):
    return dispatcher.register_dataset({"fingerprint": fingerprint, "cardinality": cardinality}, [b"p", b"s"])


def test_datasets_and_jobs():
    dispatcher = Dispatcher(0, 60.0, saves.write)
    try:
        first = dataset_of(dispatcher, "1")
        assert dataset_of(dispatcher, "1") == first != dataset_of(dispatcher, "2", 4)
        with pytest.raises(errors.InvalidArgumentError, match="another element spec"):
            dispatcher.register_dataset(first, [b"p", b"other"])
        job = job_of(dispatcher)
        with pytest.raises(errors.InvalidArgumentError, match="different parameters"):
            job_of(dispatcher, policy="DYNAMIC")
        with pytest.raises(
            errors.FailedPreconditionError, match="infinite cardinality, but the dataset has cardinality 4"
        ):
            job_of(dispatcher, "finite", dataset="1001", consumers=2)
        with pytest.raises(errors.InvalidArgumentError, match="to be infinite. Got input with cardinality 4"):
            job_of(dispatcher, "finite", dataset="1001", cached=True)
        with pytest.raises(errors.NotFoundError, match="Dataset id 7 not found"):
            dispatcher.get_dataset({"id": "7"}, [])
        # a turn that is asked for again gets its index again
        asked = [("a", 0), ("b", 0), ("a", 1), ("a", 1), ("b", 0), ("b", 1)]
        assert (
            [dispatcher.get_split({**job, "task": t, "turn": n}, [])["index"] for t, n in asked] == [0, 1, 2, 2, 1, 3]
        )
    finally:
        dispatcher.stop()


def test_the_worker_of_a_round_stays_until_it_is_gone():
    dispatcher = Dispatcher(0, 60.0, saves.write)

    def workers(*rounds):
        return [dispatcher.get_round({**job, "client": "c", "round": r}, [])["address"] for r in rounds]

    try:
        dataset_of(dispatcher)
        job = job_of(dispatcher, consumers=2)
        assert workers(0) == [None]
        for address in "ab":
            dispatcher.register_worker({"address": address, "jobs": []}, [])
        assert workers(0, 1, 2) == ["a", "b", "a"]
        dispatcher.register_worker({"address": "c", "jobs": []}, [])
        assert workers(3, 4, 2, 1) == ["a", "b", "a", "b"]  # three workers from round 3 on
        dispatcher.seen["b"] -= 100
        assert workers(4, 5) == ["a", "c"]
    finally:
        dispatcher.stop()


def test_a_job_without_clients_is_removed():
    dispatcher = Dispatcher(0, 60.0, saves.write, gc_interval=0.0, gc_timeout=0.0)
    try:
        dataset_of(dispatcher)
        keys = [job_of(dispatcher, name)["job"] for name in ("left", "silent", "kept")]
        dispatcher.release_job({"job": keys[0], "client": "c"}, [])
        dispatcher.state.jobs[keys[1]].clients["c"] -= 1000
        dispatcher.keep_job({"job": keys[2], "client": "c"}, [])
        assert dispatcher.register_worker({"address": "a", "jobs": keys}, []) == {"gone": keys[:2]}
        assert job_of(dispatcher, "left")["job"] not in keys
        with pytest.raises(errors.NotFoundError, match="Unknown job"):
            dispatcher.get_tasks({"job": keys[0], "client": "c"}, [])
    finally:
        dispatcher.stop()
