"""`MultiWorkerMirroredStrategy` with Keras: two workers fit as one, and one that dies is named.
`programs/multi_worker.py` compares the strategy itself with TensorFlow. Row 13 of the bad inputs: a `TF_CONFIG` that is
none."""

import json
from pathlib import Path

import pytest

import reflow as tf
from reflow.distribute.multi_worker import tasks_of
from tests.distribute.workers import free_addresses, start, started, tf_config

PROGRAM = Path(__file__).parent / "fit_program.py"


def run_workers(folder, deadly):
    """The exit statuses of two workers, what they printed, and what they said on the standard error."""
    addresses = free_addresses(2)
    workers = [
        start(PROGRAM, str(folder), str(deadly), config=tf_config({"worker": addresses}, "worker", i)) for i in range(2)
    ]
    with started(*workers):
        out = [w.communicate(timeout=60) for w in workers]
    return [w.returncode for w in workers], [o for o, _ in out], [e for _, e in out], addresses


#: what TensorFlow prints for the program in one process
UNDISTURBED = (
    "['1.0054'] ['1.0141', '1.3024', '0.8787', '1.2314', '0.6483', '1.3161', '0.8887', '0.9138', '1.1063', '0.8631', "
    "'0.9375', '1.2905']\n"
)


def test_a_worker_dies_and_training_goes_on_from_the_backup(tmp_path):
    codes, _, said, addresses = run_workers(tmp_path, 5)
    assert codes == [1, -9], said
    assert "UnavailableError" in said[0] and f"/job:worker/task:1 at {addresses[1]} is not there" in said[0], said[0]
    codes, printed, said, _ = run_workers(tmp_path, -1)
    assert codes == [0, 0], said
    assert printed == [UNDISTURBED, UNDISTURBED]


def test_the_chief_comes_first():
    cluster = tf.train.ClusterSpec({"worker": ["a:1", "b:1"], "chief": ["c:1"], "evaluator": ["d:1"]})
    assert tasks_of(cluster) == [("chief", 0), ("worker", 0), ("worker", 1)]


def test_a_task_that_the_cluster_does_not_have(monkeypatch):
    for job, index in (("worker", 3), ("worker", -1), ("boss", 0)):
        monkeypatch.setenv("TF_CONFIG", tf_config({"worker": ["127.0.0.1:1"]}, job, index))
        with pytest.raises(ValueError, match=f"'{job}' with index {index} is not among those of the cluster"):
            tf.distribute.MultiWorkerMirroredStrategy()


TASKS = {"worker": ["127.0.0.1:1"]}


@pytest.mark.parametrize(
    "text, words",
    [
        ("{", "is not valid JSON"),
        pytest.param("[" * 100_000, "is not valid JSON", id="nested 100,000 deep"),
        ("[]", "must be a JSON object"),
        ("null", "must be a JSON object"),
        ('{"cluster": ["a:1"]}', "'cluster' must be a JSON object"),
        (json.dumps({"cluster": TASKS, "task": None}), "'task' must be a JSON object"),
        (
            json.dumps({"cluster": TASKS, "task": {"type": "worker", "index": "first"}}),
            "'index' of the task must be an integer",
        ),
        (
            json.dumps({"cluster": TASKS, "task": {"type": "worker", "index": [0]}}),
            "'index' of the task must be an integer",
        ),
    ],
)
def test_a_configuration_that_is_none_names_the_variable(monkeypatch, text, words):
    monkeypatch.setenv("TF_CONFIG", text)
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    for use in (
        tf.distribute.MultiWorkerMirroredStrategy, lambda: tf.distribute.ParameterServerStrategy(resolver),
        tf.estimator.RunConfig,
    ):
        with pytest.raises(ValueError, match=f"TF_CONFIG.* {words}") as caught:
            use()
        assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("address", ["here", "127.0.0.1:70000", "127.0.0.1:²"])
def test_addresses_that_are_none(monkeypatch, address):
    monkeypatch.setenv("TF_CONFIG", tf_config({"worker": [address, "127.0.0.1:1"]}, "worker", 0))
    with pytest.raises(ValueError, match=f"host:port. Received: '{address}'"):
        tf.distribute.MultiWorkerMirroredStrategy()


def test_a_worker_that_never_comes_is_named_in_time(monkeypatch):
    here, there = free_addresses(2)
    monkeypatch.setenv("TF_CONFIG", tf_config({"worker": [here, there]}, "worker", 0))
    options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=0.01)
    with pytest.raises(tf.errors.UnavailableError, match=f"/job:worker/task:1 at {there} did not start"):
        tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)


def test_without_a_cluster_it_is_one_process(monkeypatch):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
    assert strategy.num_replicas_in_sync == 1 and not strategy.extended._in_multi_worker_mode()
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
    assert [strategy.reduce("sum", strategy.run(lambda x: x, (step,)), axis=0).numpy() for step in data] == [1, 5]
