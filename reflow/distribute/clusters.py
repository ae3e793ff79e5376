"""`tf.distribute` over several processes and on TPUs: names that programs test for and that say what is missing."""

from __future__ import annotations

from reflow.api.export import export
from reflow.distribute.strategy import Strategy


class _Missing:
    """A strategy whose name programs test with `isinstance`, and which Reflow cannot make yet."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(
            f"tf.distribute.{type(self).__name__} is not there yet: one process with one replica is."
        )


@export("distribute.TPUStrategy", "distribute.experimental.TPUStrategy")
class TPUStrategy(_Missing, Strategy):
    """Replicas on a TPU."""


@export("distribute.cluster_resolver.TPUClusterResolver")
class TPUClusterResolver:
    """The address of a TPU. Reflow reaches none: it says so as TensorFlow does without one."""

    def __init__(
        self, tpu=None, zone=None, project=None, job_name="worker", coordinator_name=None, coordinator_address=None,
        credentials="default", service=None, discovery_url=None,
    ):
        if tpu is None:
            raise ValueError("Please provide a TPU Name to connect to.")
        raise NotImplementedError(f"Reflow reaches no TPUs over the network. Received: tpu={tpu!r}")


@export("tpu.experimental.initialize_tpu_system")
def initialize_tpu_system(cluster_resolver=None):
    """Start the TPUs of a cluster: there are none."""
    raise NotImplementedError("Reflow reaches no TPUs over the network.")


@export("tpu.experimental.shutdown_tpu_system")
def shutdown_tpu_system(cluster_resolver=None):
    """End the TPUs of a cluster. RuntimeError: there are none, in TensorFlow's words.

    >>> tf.tpu.experimental.shutdown_tpu_system()
    Traceback (most recent call last):
    ...
    RuntimeError: No TPU devices found.
    """
    raise RuntimeError("No TPU devices found.")


@export("config.experimental.ClusterDeviceFilters")
class ClusterDeviceFilters:
    """Which devices the tasks of a cluster see; tasks without a filter see all.

    >>> filters = tf.config.experimental.ClusterDeviceFilters()
    >>> filters.set_device_filters("worker", 1, ["/job:worker/task:1"])
    """

    def __init__(self):
        self._device_filters: dict[str, dict[int, list[str]]] = {}

    def set_device_filters(self, job_name, task_index, device_filters):
        """Say which devices a task sees. AssertionError if a filter is not text."""
        if not all(isinstance(f, str) for f in device_filters):
            raise AssertionError(f"Device filters must be strings. Received: {device_filters}")
        self._device_filters.setdefault(job_name, {})[task_index] = [*device_filters]


@export("config.experimental_connect_to_cluster")
def experimental_connect_to_cluster(
    cluster_spec_or_resolver, job_name="localhost", task_index=0, protocol=None, make_master_device_default=True,
    cluster_device_filters=None,
):
    """Connect to servers: there are none."""
    raise NotImplementedError("Reflow connects to no servers: one process is all there is.")
