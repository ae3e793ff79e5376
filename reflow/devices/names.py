"""Device names: `/job:localhost/replica:0/task:0/device:CPU:0`.

Any part may be missing, and `/cpu:0` is short for `/device:CPU:0`. An outer scope fills in what an inner one leaves
out.
"""

from __future__ import annotations

import functools
from typing import Any

from reflow.core.properties import shown

LOCAL = "/job:localhost/replica:0/task:0"
CPU0 = LOCAL + "/device:CPU:0"


class DeviceSpec:
    """Holds the parts of a device name; each may be None.

    Args:
      job: The job, such as "worker".
      replica: The number of the replica.
      task: The number of the task.
      device_type: "CPU", "GPU" or "TPU".
      device_index: The number of the device.

    >>> DeviceSpec.from_string("/job:worker/task:1/gpu:0").to_string()
    '/job:worker/task:1/device:GPU:0'
    """

    __slots__ = ("_job", "_replica", "_task", "_device_type", "_device_index")
    _FIELDS = ("job", "replica", "task", "device_type", "device_index")

    def __init__(
        self, job: str | None = None, replica: int | None = None, task: int | None = None,
        device_type: str | None = None, device_index: int | None = None,
    ) -> None:
        self._job = None if job is None else str(job)
        self._replica = None if replica is None else int(replica)
        self._task = None if task is None else int(task)
        kind = None if device_type is None else str(device_type)
        self._device_type = kind.upper() if kind in ("cpu", "gpu") else kind
        self._device_index = None if device_index is None else int(device_index)

    job, replica, task = shown("job", "replica", "task")
    device_type, device_index = shown("device_type", "device_index")

    @classmethod
    def from_string(cls, spec: str | None) -> DeviceSpec:
        """Parses a device name.

        Args:
          spec: The name, such as "/job:worker/task:1/gpu:0"; None and the empty name leave everything open.

        Returns:
          A `tf.DeviceSpec`.

        Raises:
          ValueError: It is no name of a device.
        """
        return cls(**_fields(spec or ""))

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """The spec of a text such as "/job:worker/device:GPU:0"."""
        return self.from_string(spec)

    def to_string(self) -> str:
        """Returns the name in canonical form.

        Returns:
          A string such as "/job:worker/task:1/device:GPU:0".
        """
        parts = [
            f"/{name}:{value}"
            for name, value in zip(("job", "replica", "task"), self._values()[:3], strict=True)
            if value is not None
        ]
        if self._device_type is not None:
            index = "*" if self._device_index is None else self._device_index
            parts.append(f"/device:{self._device_type}:{index}")
        return "".join(parts)

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """This spec with every field that `dev` gives taken from `dev`."""
        return DeviceSpec(
            *(mine if theirs is None else theirs for mine, theirs in zip(self._values(), dev._values(), strict=True))
        )

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """A spec in which these fields have other values."""
        return DeviceSpec(**(dict(zip(self._FIELDS, self._values(), strict=True)) | kwargs))

    def _values(self) -> tuple:
        return (self._job, self._replica, self._task, self._device_type, self._device_index)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value}" for name, value in zip(self._FIELDS, self._values(), strict=True))
        return f"<DeviceSpec({inside})>"


def _fields(spec: str) -> dict:
    """The fields of a device name.

    >>> _fields("/cpu:0")
    {'device_type': 'CPU', 'device_index': 0}
    """
    found: dict = {}
    for part in filter(None, spec.split("/")):
        words = part.split(":")
        key, values = words[0], words[1:]
        if key in ("job", "replica", "task") and len(values) == 1:
            if values[0] != "*":
                found[key] = values[0] if key == "job" else int(values[0])
            continue
        if key == "device" and values:
            key, values = values[0], values[1:]
        elif key.upper() not in ("CPU", "GPU", "TPU"):
            raise ValueError(f"Unknown attribute '{part}' is encountered while parsing the device spec: '{spec}'.")
        if "device_type" in found:
            raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {spec}.")
        found["device_type"] = key.upper() if key in ("cpu", "gpu", "tpu") else key
        if values and values[0] != "*":
            found["device_index"] = int(values[0])
    return found


@functools.lru_cache(1024)
def merged(outer: str, inner: str) -> str:
    """The canonical name of a scope inside another.

    >>> merged("/device:CPU:1", "/job:localhost")
    '/job:localhost/device:CPU:1'
    """
    return DeviceSpec.from_string(outer).make_merged_spec(DeviceSpec.from_string(inner)).to_string()
