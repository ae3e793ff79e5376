"""`tensorflow.python.framework.device`: names of devices, and functions of nodes that choose one."""

from reflow.devices.names import DeviceSpec


def check_valid(spec) -> None:
    """Raise ValueError unless a text names a device."""
    DeviceSpec.from_string(spec)


def is_device_spec(obj) -> bool:
    return isinstance(obj, DeviceSpec)


def canonical_name(device) -> str:
    """The full form of a device's name: `/cpu:0` is `/device:CPU:0`."""
    if device is None:
        return ""
    return device.to_string() if isinstance(device, DeviceSpec) else DeviceSpec.from_string(device).to_string()


class MergeDevice:
    """A function of nodes that gives the spec of a device, in which what a node says itself goes first."""

    __slots__ = ["_spec"]

    def __init__(self, spec):
        self._spec = spec if isinstance(spec, DeviceSpec) else DeviceSpec.from_string(spec)

    def __call__(self, node_def):
        return self._spec.make_merged_spec(DeviceSpec.from_string(node_def.device or ""))

    def shortcut_string_merge(self, node_def) -> str:
        """The name of the device."""
        return self(node_def).to_string()

    @property
    def is_null_merge(self) -> bool:
        """Whether this changes no node's device."""
        return not self._spec.to_string()

    def __repr__(self) -> str:
        return f"{super().__repr__()} (spec: {self._spec.to_string()})"


def merge_device(spec):
    """A function of nodes that gives them a device, keeping what their own one says already."""
    spec = DeviceSpec.from_string(spec or "") if not isinstance(spec, DeviceSpec) else spec

    def merged(node):
        own = getattr(node, "device", node) or ""
        return spec.make_merged_spec(DeviceSpec.from_string(own)).to_string()

    return merged
