"""Cluster resolvers: where a program finds the addresses of its cluster, and its own task.

`TFConfigClusterResolver` reads the environment variable `TF_CONFIG`, a JSON object such as
`{"cluster": {"worker": ["10.0.0.1:2222", "10.0.0.2:2222"]}, "task": {"type": "worker", "index":
0}}`. Those of job managers are in `managed_resolvers.py`.
"""

from __future__ import annotations

import abc
import collections
import json
import os
import re
from typing import Any

from reflow.api.export import export
from reflow.core.logging import logger
from reflow.core.properties import read_only, read_write
from reflow.devices import placement
from reflow.distribute.cluster_spec import ClusterSpec


def format_master_url(master: str, rpc_layer: str | None = None) -> str:
    """An address with the protocol in front of it, if there is one."""
    return f"{rpc_layer}://{master}" if rpc_layer else master


def get_accelerator_devices(master, config_proto) -> list:
    """The logical devices of this process."""
    return placement.logical_devices()


@export("distribute.cluster_resolver.ClusterResolver")
class ClusterResolver(abc.ABC):
    """Says where the tasks of a cluster are. Subclasses give `cluster_spec` and `master`.

    >>> spec = tf.train.ClusterSpec({"worker": ["127.0.0.1:2222"]})
    >>> tf.distribute.cluster_resolver.SimpleClusterResolver(spec, task_type="worker", task_id=0).task_type
    'worker'
    """

    @abc.abstractmethod
    def cluster_spec(self):
        """Returns the cluster as it is now.

        Returns:
          A `tf.train.ClusterSpec`.
        """

    @abc.abstractmethod
    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """Returns the address of a task, or of the one that sessions connect to.

        Args:
          task_type: The job of the task.
          task_id: The number of the task.
          rpc_layer: The protocol in front of the address.

        Returns:
          The address, a string.
        """

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None) -> dict:
        """Counts the accelerators of a task.

        Args:
          task_type: The job of the task; by default any.
          task_id: The number of the task; by default any.
          config_proto: Accepted, and not used.

        Returns:
          A dictionary from kinds ("GPU", "TPU") to numbers.

        Raises:
          RuntimeError: if the devices cannot be asked for.
        """
        counts: dict = collections.defaultdict(int)
        wanted = {"job": task_type, "task": task_id}
        for device in get_accelerator_devices(self.master(task_type, task_id), config_proto):
            parts = dict(part.split(":", 1) for part in device.name.split("/") if ":" in part)
            here = all(v is None or k not in parts or parts[k] == str(v) for k, v in wanted.items())
            if device.device_type in ("GPU", "TPU") and here:
                counts[device.device_type] += 1
        return dict(counts)

    @property
    def environment(self) -> str:
        """`"google"` for Google's internal environment, otherwise empty."""
        return ""

    _task_type: str | None = None
    _task_id: int | None = None

    task_type = read_write("_task_type")
    task_id = read_write("_task_id")


@export("distribute.cluster_resolver.SimpleClusterResolver")
class SimpleClusterResolver(ClusterResolver):
    """Describes a cluster that the program spells out.

    Args:
      cluster_spec: A `tf.train.ClusterSpec`.
      master: The address that sessions connect to.
      task_type: The job of this process.
      task_id: The number of this process.
      environment: A name of the environment.
      num_accelerators: What the method of that name returns.
      rpc_layer: The protocol in front of addresses.

    Raises:
      TypeError: `cluster_spec` is no `ClusterSpec`, or `master` no string.

    >>> spec = tf.train.ClusterSpec({"ps": ["127.0.0.1:2222"], "worker": ["127.0.0.1:2223"]})
    >>> tf.distribute.cluster_resolver.SimpleClusterResolver(spec, rpc_layer="grpc").master("worker", 0)
    'grpc://127.0.0.1:2223'
    """

    def __init__(
        self, cluster_spec, master="", task_type=None, task_id=None, environment="", num_accelerators=None,
        rpc_layer=None,
    ):
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        if not isinstance(master, str):
            raise TypeError("master must be a string.")
        self._cluster_spec, self._master = cluster_spec, master
        self._task_type, self._task_id = task_type, task_id
        self._environment, self._num_accelerators, self._rpc_layer = environment, num_accelerators, rpc_layer

    def cluster_spec(self):
        return self._cluster_spec

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        master = self._master
        if task_type is not None and task_id is not None:
            master = self.cluster_spec().task_address(task_type, task_id)
        return format_master_url(master, rpc_layer or self._rpc_layer)

    environment = read_only("_environment")

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None) -> dict:
        return self._num_accelerators or {}

    rpc_layer = read_write("_rpc_layer")


def _given_or_first(name: str) -> property:
    """A property: what was given, or what the first of several resolvers says."""

    def get(self):
        given = getattr(self, f"_{name}")
        return getattr(self._cluster_resolvers[0], name) if given is None or given == "" else given

    return property(get, lambda self, value: setattr(self, f"_{name}", value))


@export("distribute.cluster_resolver.UnionResolver")
class UnionClusterResolver(ClusterResolver):
    """Joins several resolvers. Its task and address are those of the first resolver that has them, or those given here.

    Args:
      *args: The resolvers.
      **kwargs: `task_type`, `task_id` and `rpc_layer`, to take instead of the resolvers'.

    Raises:
      ValueError: There is no resolver, or another keyword.
      TypeError: An argument is no resolver.

    >>> one = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec({"worker": ["a:1"]}))
    >>> two = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec({"worker": ["b:1"]}))
    >>> tf.distribute.cluster_resolver.UnionResolver(one, two).cluster_spec().as_dict()
    {'worker': ['a:1', 'b:1']}
    """

    def __init__(self, *args, **kwargs):
        unknown = set(kwargs) - {"rpc_layer", "task_type", "task_id"}
        if unknown:
            raise ValueError(f"Unexpected kwargs provided {unknown!r}")
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        for resolver in args:
            if not isinstance(resolver, ClusterResolver):
                raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        self._cluster_resolvers = args
        self._rpc_layer = kwargs.get("rpc_layer")
        self._task_type, self._task_id = kwargs.get("task_type"), kwargs.get("task_id")

    def cluster_spec(self):
        specs = [resolver.cluster_spec().as_dict() for resolver in self._cluster_resolvers]
        merged: dict[str, Any] = {}
        for name in dict.fromkeys(name for spec in specs for name in spec):
            merged[name] = _joined([spec[name] for spec in specs if name in spec])
        return ClusterSpec(merged)

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        if task_type is not None and task_id is not None:
            address = self.cluster_spec().task_address(task_type, task_id)
            return format_master_url(address, rpc_layer or self._rpc_layer)
        return self._cluster_resolvers[0].master(rpc_layer=rpc_layer)

    @property
    def environment(self):
        return self._cluster_resolvers[0].environment

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None) -> dict:
        return self._cluster_resolvers[0].num_accelerators(task_type, task_id, config_proto)

    task_type = _given_or_first("task_type")
    task_id = _given_or_first("task_id")
    rpc_layer = _given_or_first("rpc_layer")


def _joined(jobs: list):
    """One job from the same job of several clusters: lists are concatenated, numbered tasks merged."""
    if all(isinstance(tasks, list) for tasks in jobs):
        return [address for tasks in jobs for address in tasks]
    joined: dict[int, str] = {}
    for tasks in jobs:
        numbered = dict(enumerate(tasks)) if isinstance(tasks, list) else tasks
        twice = joined.keys() & numbered.keys()
        if twice:
            raise KeyError(f"Duplicate keys detected when merging two ClusterSpecs: {twice!r}")
        joined.update(numbered)
    return joined


def read_tf_config() -> dict:
    """The contents of `TF_CONFIG`; empty where it is not set.

    Raises:
      ValueError: if it is not a JSON object, or describes no cluster or no task.
    """
    text = os.environ.get("TF_CONFIG") or "{}"
    try:
        config = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(
            f"The environment variable TF_CONFIG is not valid JSON ({error}). Received: {_shown(text)}"
        ) from None
    if not isinstance(config, dict):
        raise ValueError(f"The environment variable TF_CONFIG must be a JSON object. Received: {_shown(text)}")
    for key in ("cluster", "task"):
        if not isinstance(config.get(key, {}), dict):
            raise ValueError(
                f"The environment variable TF_CONFIG: {key!r} must be a JSON object. Received: {_shown(config[key])}"
            )
    index = config.get("task", {}).get("index")
    if not (index is None or re.fullmatch(r"-?[0-9]{1,9}", str(index))):
        raise ValueError(
            f"The environment variable TF_CONFIG: the 'index' of the task must be an integer. Received: {_shown(index)}"
        )
    return config


def tf_config_cluster() -> ClusterSpec:
    """The cluster that `TF_CONFIG` describes; an empty one where it does not."""
    return ClusterSpec(read_tf_config().get("cluster", {}))


def _shown(value: Any) -> str:
    """What was received, in an error: its beginning."""
    text = repr(value)
    return text if len(text) <= 500 else f"{text[:500]}…"


def _given_or_configured(attribute: str, key: str, kind: type) -> property:
    """A property: what was given, or what the configuration says of this task under a key."""

    def get(self):
        given = getattr(self, attribute)
        found = self._configuration().get("task", {}).get(key) if given is None else given
        return None if found is None else kind(found)

    return property(get, lambda self, value: setattr(self, attribute, value))


class ConfiguredResolver(ClusterResolver):
    """A resolver that finds cluster and task in a *configuration*, an object of the form of `TF_CONFIG`."""

    def __init__(self, task_type=None, task_id=None, rpc_layer=None, environment=None):
        self._task_type, self._task_id = task_type, task_id
        self._rpc_layer, self._environment = rpc_layer, environment

    @abc.abstractmethod
    def _configuration(self) -> dict:
        """The configuration as it is now."""

    task_type = _given_or_configured("_task_type", "type", str)
    task_id = _given_or_configured("_task_id", "index", int)
    environment = read_only("_environment")

    @property
    def rpc_layer(self):
        return self._configuration().get("rpc_layer") if self._rpc_layer is None else self._rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer):
        self._rpc_layer = rpc_layer

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None) -> dict:
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        return super().num_accelerators(task_type, task_id, config_proto)

    def cluster_spec(self):
        return ClusterSpec(self._configuration().get("cluster", {}))

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        session_master = self._configuration().get("session_master")
        if session_master is not None:
            return session_master
        spec = self.cluster_spec()
        if sum(spec.num_tasks(job) for job in spec.jobs) <= 1:
            return ""
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        if task_type is None or task_id is None:
            logger.warning("TF_CONFIG names no task: the address of a master cannot be told.")
            return ""
        return format_master_url(spec.task_address(task_type, task_id), rpc_layer or self.rpc_layer)


@export("distribute.cluster_resolver.TFConfigClusterResolver")
class TFConfigClusterResolver(ConfiguredResolver):
    """Describes the cluster that the environment variable `TF_CONFIG` holds.

    Args:
      task_type: The job of this process; by default as `TF_CONFIG` says.
      task_id: The number of this process; by default as `TF_CONFIG` says.
      rpc_layer: The protocol in front of addresses; by default as `TF_CONFIG` says.
      environment: A name of the environment.

    >>> import os
    >>> os.environ["TF_CONFIG"] = '{"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 1}}'
    >>> resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    >>> resolver.task_type, resolver.task_id, resolver.cluster_spec().num_tasks("worker")
    ('worker', 1, 2)
    >>> del os.environ["TF_CONFIG"]
    """

    def _configuration(self) -> dict:
        return read_tf_config()
