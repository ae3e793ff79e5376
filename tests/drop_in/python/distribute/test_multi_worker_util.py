"""`reflow/drop_in/python/distribute/multi_worker_util.py`: what a task is among those of a cluster."""

import pytest

import reflow as tf
from reflow.drop_in.python.distribute import multi_worker_util as util

CLUSTER = {"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1"]}


def test_numbers_and_leaders():
    assert util.normalize_cluster_spec(tf.train.ClusterSpec(CLUSTER).as_cluster_def()).as_dict() == CLUSTER
    assert (
        [
            util.is_chief(CLUSTER, "chief", 0), util.is_chief(CLUSTER, "worker", 0),
            util.is_chief({"worker": ["a:1"]}, "worker", 0),
        ]
        == [True, False, True]
    )  # fmt: skip
    assert util.worker_count(CLUSTER, "worker") == 3 and util.id_in_cluster(CLUSTER, "worker", 1) == 2
    assert util.id_in_cluster(CLUSTER, "chief", 0) == 0 and util.id_in_cluster(CLUSTER, "evaluator", 0) == 0
    assert util.collective_leader(CLUSTER, "worker", 0) == "/job:chief/replica:0/task:0"
    assert (
        util.collective_leader({}, None, None) == util.collective_leader(CLUSTER, "evaluator", 0)
        == util.coordination_leader({}) == ""
    )
    assert util.coordination_leader(CLUSTER) == "/job:ps/replica:0/task:0"


def test_refusals():
    for words, cluster, job, task in (
        ("should be dict", 3, "worker", 0), ("Disallowed task type", {"other": ["a:1"]}, None, 0),
        ("Unrecognized task_type: x", CLUSTER, "x", 0), ("'worker' not found", {"chief": ["a:1"]}, "worker", 0),
        ("at most one 'chief'", {"chief": ["a:1", "b:1"]}, "chief", 0), ("`task_id` 2 exceeds", CLUSTER, "worker", 2),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            util.is_chief(cluster, job, task)
    with pytest.raises(ValueError, match="Unexpected `task_type` 'ps'"):
        util.worker_count(CLUSTER, "ps")
    with pytest.raises(ValueError, match="no id for task_type 'ps'"):
        util.id_in_cluster(CLUSTER, "ps", 0)
