"""`tensorflow.python.distribute.packed_distributed_variable`: the copies of a variable on several devices as one.

Code in a device's scope reads and writes the copy on that device, other code that on this process' first CPU.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from reflow.api import config
from reflow.api.framework.small_namespaces import executing_eagerly_outside_functions
from reflow.core.properties import read_only
from reflow.core.tensor import Tensor
from reflow.drop_in.python.distribute import device_util
from reflow.eager.variables import Variable
from reflow.ops.convert import convert_to_tensor


class _Standing:
    """What has the attributes and operators of a variable, `_here()`."""

    def _here(self) -> Variable:
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._here(), name)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return convert_to_tensor(self._here(), dtype, name=name)


def _operator(name: str) -> Callable[..., Any]:
    return lambda self, *operands: getattr(self._here(), name)(*operands)


for _name in Tensor.OVERLOADABLE_OPERATORS - {"__eq__", "__ne__"}:
    setattr(_Standing, _name, _operator(_name))


class PackedDistributedVariable(_Standing):
    """The copies of a variable on several devices.

    Args:
      distributed_variables: The copies.
      name: A name; "Variable" if None.

    Raises:
      ValueError: There are no copies, one is no variable, or this is a graph of version 1.
    """

    def __init__(self, distributed_variables: Sequence[Variable] | None = None, name: str | None = None) -> None:
        if not executing_eagerly_outside_functions():
            raise ValueError("PackedDistributedVariable should be created in eager mode.")
        if not distributed_variables:
            raise ValueError("Expect a non-empty list of variables to pack.")
        for i, variable in enumerate(distributed_variables):
            if not isinstance(variable, Variable):
                raise ValueError(
                    f"Expect a list of ResourceVariables to pack, but the {i}-th variable is {type(variable)}"
                )
        self._distributed_variables = list(distributed_variables)
        self._devices = [variable.device for variable in distributed_variables]
        self._name = f"{name or 'Variable'}:0"

    devices = read_only("_devices")
    name = read_only("_name")

    def on_device(self, device: str) -> PackedVarAndDevice:
        """The copy on a device, which keeps its device's scope."""
        return PackedVarAndDevice(self, device)

    def get_var_on_device(self, device: str) -> Variable:
        """The copy on a device, or else the first on a device of the process whose CPU it is."""
        hosts = [device_util.get_host_for_device(name) for name in self._devices]
        for names in (self._devices, hosts):
            if device in names:
                return self._distributed_variables[names.index(device)]
        raise ValueError(f"Device {device} is not found")

    def get_var_on_current_device(self) -> Variable:
        """The copy on the device of the scope around the caller."""
        return self.get_var_on_device(device_util.canonicalize(device_util.current()))

    _here = get_var_on_current_device

    def initial_value(self, device: str) -> Any:
        """What the copy on a device began with, where that is kept."""
        return self.get_var_on_device(device).initial_value

    def is_initialized(self, name: str | None = None) -> Any:
        """Whether all copies have values."""
        return functools.reduce(
            lambda so_far, variable: so_far & variable.is_initialized(), self._distributed_variables[1:],
            self._distributed_variables[0].is_initialized(),
        )


class PackedVarAndDevice(_Standing):
    """The copies of a variable, seen from a device."""

    def __init__(self, var: PackedDistributedVariable, device: str) -> None:
        self._var, self._device = var, device

    device = read_only("_device")

    def _here(self) -> Variable:
        with config.device(self._device):
            return self._var.get_var_on_current_device()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        with config.device(self._device):
            found = getattr(self._var, name)
        return self._in_scope(found) if callable(found) else found

    def _in_scope(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with config.device(self._device):
                return function(*args, **kwargs)

        return call

    def var(self) -> PackedDistributedVariable:
        """The copies."""
        return self._var

    @property
    def initial_value(self) -> Any:
        """What the copy on the device began with, where that is kept."""
        return self._var.initial_value(self._device)

    def on_device_handle(self) -> Any:
        """The handle of the copy on the device."""
        return self._here().handle
