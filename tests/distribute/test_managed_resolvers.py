"""Resolvers of job managers, with Slurm's variables and with clients that answer from a table."""

from types import SimpleNamespace

import pytest

import reflow as tf
from reflow.distribute.managed_resolvers import SageMakerClusterResolver, expand_hostlist, expand_tasks_per_node

resolver = tf.distribute.cluster_resolver


def test_slurms_short_forms():
    assert expand_hostlist("n[1-2],m5,o[009-011,3]") == ["n1", "n2", "m5", "o009", "o010", "o011", "o3"]
    assert expand_hostlist("node-[1-2].lan") == ["node-1.lan", "node-2.lan"]
    assert expand_tasks_per_node("3(x2),2") == [3, 3, 2]
    with pytest.raises(ValueError, match="'two'"):
        expand_tasks_per_node("two")


@pytest.fixture
def slurm(monkeypatch):
    variables = {"PROCID": "2", "NUM_TASKS": "3", "STEP_TASKS_PER_NODE": "2,1", "STEP_NODELIST": "a[1-2]"}
    for name, value in variables.items():
        monkeypatch.setenv(f"SLURM_{name}", value)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")


def test_slurm(slurm, monkeypatch):
    found = resolver.SlurmClusterResolver({"ps": 1, "worker": 2}, port_base=10, gpus_per_node=4)
    assert found.cluster_spec().as_dict() == {"ps": ["a1:10"], "worker": ["a1:11", "a2:10"]}
    assert found.get_task_info() == ("worker", 1) and found.master() == "grpc://a2:10"
    assert found.num_accelerators() == {"GPU": 2}
    import os

    assert os.environ["CUDA_VISIBLE_DEVICES"] == "0,1"
    assert resolver.SlurmClusterResolver().cluster_spec().num_tasks("worker") == 3
    with pytest.raises(RuntimeError, match="Requested 9 tasks, but only 3"):
        resolver.SlurmClusterResolver({"worker": 9})
    monkeypatch.delenv("SLURM_PROCID")
    with pytest.raises(RuntimeError, match="SLURM_PROCID"):
        resolver.SlurmClusterResolver()


def pod(name, address, phase="Running"):
    return SimpleNamespace(metadata=SimpleNamespace(name=name), status=SimpleNamespace(host_ip=address, phase=phase))


def test_kubernetes():
    pods = {"job-name=tensorflow": [pod("b", "2"), pod("a", "1")], "broken": [pod("c", "3", "Pending")]}
    client = SimpleNamespace(
        list_pod_for_all_namespaces=lambda label_selector, watch: SimpleNamespace(items=pods[label_selector])
    )
    found = resolver.KubernetesClusterResolver(override_client=client)
    assert found.cluster_spec().as_dict() == {"worker": ["1:8470", "2:8470"]}
    assert found.master("worker", 1) == "grpc://2:8470" and found.master() == ""
    with pytest.raises(RuntimeError, match='"c" is not running; phase: "Pending"'):
        resolver.KubernetesClusterResolver({"worker": ["broken"]}, override_client=client).cluster_spec()
    with pytest.raises(ImportError, match="Kubernetes Python client must be installed"):
        resolver.KubernetesClusterResolver()


def test_google_compute_engine():
    answer = lambda value: SimpleNamespace(execute=lambda: value)
    machine = lambda project, zone, instance: answer({"networkInterfaces": [{"networkIP": f"10.0.0.{instance[-1]}"}]})
    items = {"items": [{"instance": "zones/z/instances/m2"}, {"instance": "zones/z/instances/m1"}]}
    groups = SimpleNamespace(listInstances=lambda **request: answer(items), listInstances_next=lambda **request: None)
    service = SimpleNamespace(instanceGroups=lambda: groups, instances=lambda: SimpleNamespace(get=machine))
    found = resolver.GCEClusterResolver("p", "z", "g", 99, task_id=1, service=service)
    assert found.cluster_spec().as_dict() == {"worker": ["10.0.0.1:99", "10.0.0.2:99"]}
    assert found.master() == "grpc://10.0.0.2:99"


def test_sagemaker(monkeypatch):
    with pytest.raises(AssertionError, match="Not a SageMaker Environment"):
        SageMakerClusterResolver().cluster_spec()
    monkeypatch.setenv("SM_HOSTS", '["b", "a", "c"]')
    monkeypatch.setenv("SM_CURRENT_HOST", "b")
    found = SageMakerClusterResolver()
    assert found.cluster_spec().as_dict() == {"worker": ["a:2223", "b:2223", "c:2223"]}
    assert (found.task_type, found.task_id, found.rpc_layer, found.environment) == ("worker", 1, None, None)
    assert found.master() == "b:2223" and found.master("worker", 0, "grpc") == "grpc://a:2223"
    assert SageMakerClusterResolver(1, task_id=2, rpc_layer="x").master() == "x://c:1"
    monkeypatch.setenv("SM_CURRENT_HOST", "z")
    assert found.cluster_spec().as_dict() == {} and found.task_type is None and found.master() == ""
    monkeypatch.setenv("SM_HOSTS", "")
    assert found.cluster_spec().as_dict() == {} and found.task_id is None
