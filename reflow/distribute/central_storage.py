"""`tf.distribute.experimental.CentralStorageStrategy`: several replicas that share one copy of each variable."""

from __future__ import annotations

from reflow.api.export import export
from reflow.core.context import state, swapped
from reflow.core.logging import logger
from reflow.devices import placement
from reflow.distribute.mirrored import MirroredExtended, device_names
from reflow.distribute.strategy import Strategy
from reflow.distribute.values import current_replica, select
from reflow.distribute.variables import MirroredVariable
from reflow.eager.variable_enums import VariableAggregation


@export("__internal__.distribute.AggregatingVariable")
class AggregatingVariable(MirroredVariable):
    """One variable for all replicas: what they write is combined by its `aggregation` and written once."""

    def _get(self):
        return self._values[0]

    def _update(self, write, value, method):
        if current_replica() is not None and state.updating is None and self._aggregation is VariableAggregation.NONE:
            raise ValueError(
                "You must specify an aggregation method to update a AggregatingVariable in Replica Context. You can do "
                "so by passing an explicit value for argument `aggregation` to tf.Variable(..)."
                "e.g. `tf.Variable(..., aggregation=tf.VariableAggregation.SUM)`"
                "`tf.VariableAggregation` lists the possible aggregation methods."
            )
        return self._update_in_step(write, value, method)

    def __repr__(self):
        return repr(self._values[0])

    __str__ = __repr__


@export("__internal__.distribute.CentralStorageExtended")
class CentralStorageExtended(MirroredExtended):
    """The extended part of a strategy whose variables are on one device."""

    def __init__(self, container_strategy, devices, parameter_device):
        super().__init__(container_strategy, devices)
        self._parameter_device = parameter_device

    worker_devices = property(lambda self: list(self._devices))
    parameter_devices = property(lambda self: (self._parameter_device,))

    def _new_variable(self, next_creator, kwargs):
        aggregation = VariableAggregation(kwargs.get("aggregation") or VariableAggregation.NONE)
        with placement.DeviceScope(self._parameter_device):
            variable = next_creator(**kwargs)
        return AggregatingVariable(self._container_strategy(), [variable], aggregation)

    def _update_copies(self, var, fn, args, kwargs):
        with placement.DeviceScope(self._parameter_device), swapped(updating=0):
            return [fn(var.values[0], *select(0, args), **select(0, kwargs))]

    def non_slot_devices(self, var_list):
        return min(var_list, key=lambda v: v.name)


@export("distribute.experimental.CentralStorageStrategy")
class CentralStorageStrategy(Strategy):
    """Replicas on several devices that share the variables of one.

    Args:
      compute_devices: names of the devices that replicas run on; all GPUs if None, or the first CPU where there is
        none.
      parameter_device: where variables are; if None the CPU, or the only compute device.

    >>> strategy = tf.distribute.experimental.CentralStorageStrategy(["/cpu:0"])
    >>> strategy.extended.parameter_devices
    ('/job:localhost/replica:0/task:0/device:CPU:0',)
    """

    _extended_type = CentralStorageExtended

    def __init__(self, compute_devices=None, parameter_device=None):
        names = device_names(compute_devices)
        if parameter_device is None:
            parameter_device = names[0] if len(names) == 1 else placement.CPU0
        logger.info("CentralStorageStrategy with compute_devices = %s, variable_device = %r", names, parameter_device)
        super().__init__(self._extended_type(self, names, parameter_device))

    @classmethod
    def _from_num_gpus(cls, num_gpus):
        return cls([f"/device:GPU:{i}" for i in range(num_gpus)] or ["/device:CPU:0"])
