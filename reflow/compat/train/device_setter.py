"""`tf.compat.v1.train.replica_device_setter`.

Places variables on parameter servers in turn, everything else on the worker.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from reflow.api.export import export
from reflow.devices.names import DeviceSpec
from reflow.distribute.cluster_spec import ClusterSpec
from reflow.ops.kernels.control.state import var_handle


def _is_kept(node: Any) -> bool:
    """Whether a node makes what parameter servers keep: variables and tables."""
    return node.record is var_handle or node.record.makes_resource and node.type.endswith(("Table", "TableV2"))


@export("compat.v1.train.replica_device_setter")
def replica_device_setter(
    ps_tasks=0, ps_device="/job:ps", worker_device="/job:worker", merge_devices=True, cluster=None, ps_ops=None,
    ps_strategy=None,
) -> Callable[[Any], str] | None:
    """A function for `tf.device` that spreads variables over parameter servers.

    Args:
      ps_tasks: how many parameter servers there are; follows from `cluster` if that is given.
      ps_device, worker_device: where variables go, and everything else.
      merge_devices: whether to fill in what a `tf.device` inside leaves open; if not, such nodes are left alone.
      cluster: a `ClusterSpec`, a `ClusterDef` or a dictionary of jobs.
      ps_ops: the types of nodes that go to parameter servers; by default those of variables and tables.
      ps_strategy: a function from a node to the number of its server; by default they take turns.

    Returns:
      The function; None if there are no parameter servers.

    >>> spread = tf.compat.v1.train.replica_device_setter(ps_tasks=2)
    >>> with tf.Graph().as_default(), tf.compat.v1.device(spread):
    ...     [tf.compat.v1.Variable(0.0).device for _ in range(3)]
    ['/job:ps/task:0', '/job:ps/task:1', '/job:ps/task:0']
    """
    if cluster is not None:
        job = DeviceSpec.from_string(ps_device).job
        jobs = ClusterSpec(cluster).as_dict()
        ps_tasks = len(jobs.get(job) or ()) if job is not None else 0
    if ps_tasks == 0:
        return None
    if ps_strategy is None:
        turns = itertools.count()

        def ps_strategy(_: Any) -> int:
            return next(turns) % ps_tasks

    elif not callable(ps_strategy):
        raise TypeError("ps_strategy must be callable")

    def choose(node: Any) -> str:
        if not merge_devices and node.device:
            return node.device
        chosen = DeviceSpec.from_string(node.device or "")
        if ps_device and (_is_kept(node) if ps_ops is None else node.type in ps_ops):
            server = DeviceSpec.from_string(ps_device)
            if server.job and (not chosen.job or chosen.job == server.job):
                server = server.replace(task=ps_strategy(node))
            return server.make_merged_spec(chosen).to_string()
        return DeviceSpec.from_string(worker_device or "").make_merged_spec(chosen).to_string()

    return choose
