"""`tensorflow.python.distribute.cross_device_ops`: how strategies reduce values, and which way fits some devices."""

from collections.abc import Iterable
from typing import Any

from reflow.devices.names import DeviceSpec
from reflow.distribute.reduction import AllReduceCrossDeviceOps as AllReduceCrossDeviceOps
from reflow.distribute.reduction import CrossDeviceOps as CrossDeviceOps
from reflow.distribute.reduction import HierarchicalCopyAllReduce as HierarchicalCopyAllReduce
from reflow.distribute.reduction import NcclAllReduce as NcclAllReduce
from reflow.distribute.reduction import ReductionToOneDevice as ReductionToOneDevice


def select_cross_device_ops(devices: Iterable[Any], session_config: Any = None) -> CrossDeviceOps:
    """What reduces values of replicas on some devices: collectives if all of them are GPUs."""
    kinds = {DeviceSpec.from_string(str(device)).device_type for device in devices}
    return NcclAllReduce(num_packs=1) if kinds == {"GPU"} else ReductionToOneDevice()
