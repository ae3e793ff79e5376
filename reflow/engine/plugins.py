"""Plugins, under TensorRT's names: user-defined layers, found by name in a registry.

A *plugin* implements `compute(*tensors)` with `tf` functions, so it becomes part of the engine's program. A *creator*
makes plugins of one name from *fields* (named arrays). The *registry* keeps creators by name, version and namespace.

    creator = trt.get_plugin_registry().get_plugin_creator("LReLU_TRT", "1", "")
    slope = trt.PluginField("negSlope", np.array([0.1], np.float32), trt.PluginFieldType.FLOAT32)
    fields = trt.PluginFieldCollection([slope])
    layer = network.add_plugin_v2([x], creator.create_plugin("leaky", fields))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import reflow as tf
from reflow.engine.enums import PluginFieldType
from reflow.engine.logger import ILogger


class PluginField:
    """A named array for a creator. Text is an array of bytes, as in TensorRT."""

    def __init__(self, name: str, data: Any = None, type: PluginFieldType = PluginFieldType.UNKNOWN) -> None:
        self.name, self.type = name, type
        self.data = (
            None if data is None else np.frombuffer(data, np.uint8) if isinstance(data, bytes)
            else np.atleast_1d(np.asarray(data))
        )

    @property
    def size(self) -> int:
        return 0 if self.data is None else self.data.size


class PluginFieldCollection(list):
    """Fields, in order."""

    def __init__(self, fields: Sequence[PluginField] = ()) -> None:
        super().__init__(fields)

    def numbers(self) -> dict[str, np.ndarray]:
        """The arrays by name."""
        return {field.name: field.data for field in self if field.data is not None}


class IPluginV2:
    """A plugin. A subclass defines `compute`, and `num_outputs` if there are several."""

    num_outputs = 1
    plugin_type = ""
    plugin_version = "1"
    plugin_namespace = ""

    def compute(self, *tensors: Any) -> Any:
        """The output for these inputs, or a tuple of outputs."""
        raise NotImplementedError(f"{type(self).__name__} must define compute(*tensors)")

    def __call__(self, *tensors: Any) -> Any:
        return self.compute(*tensors)


class IPluginCreator:
    """Makes plugins of one name. A subclass sets `name` and `field_names`, and defines `create_plugin`."""

    name = ""
    plugin_version = "1"
    plugin_namespace = ""

    def __init__(self) -> None:
        self.field_names = PluginFieldCollection()

    def create_plugin(self, name: str, field_collection: PluginFieldCollection) -> IPluginV2:
        raise NotImplementedError(f"{type(self).__name__} must define create_plugin(name, field_collection)")


class IPluginRegistry:
    """Creators by name, version and namespace."""

    def __init__(self) -> None:
        self._creators: dict[tuple[str, str, str], IPluginCreator] = {}

    @property
    def plugin_creator_list(self) -> list[IPluginCreator]:
        return list(self._creators.values())

    def register_creator(self, creator: IPluginCreator, plugin_namespace: str = "") -> bool:
        """Add a creator; False if there is one of that name, version and namespace."""
        key = (creator.name, creator.plugin_version, plugin_namespace)
        if not creator.name:
            raise ValueError(f"The creator {type(creator).__name__} has no name.")
        if key in self._creators:
            return False
        creator.plugin_namespace = plugin_namespace
        self._creators[key] = creator
        return True

    def deregister_creator(self, creator: IPluginCreator) -> bool:
        """Remove a creator; False if it is not here."""
        key = (creator.name, creator.plugin_version, creator.plugin_namespace)
        return self._creators.pop(key, None) is not None

    def get_plugin_creator(self, type: str, version: str = "1", plugin_namespace: str = "") -> IPluginCreator | None:
        return self._creators.get((type, version, plugin_namespace))

    get_creator = get_plugin_creator


# --- plugins that TensorRT provides, and that are plain functions


class FunctionPlugin(IPluginV2):
    """A plugin of a function of tensors and of the fields' numbers."""

    def __init__(self, kind: str, function: Callable[..., Any], fields: dict[str, np.ndarray]) -> None:
        self.plugin_type, self._function, self.fields = kind, function, fields

    def compute(self, *tensors: Any) -> Any:
        return self._function(*tensors, **{name: float(np.ravel(data)[0]) for name, data in self.fields.items()})


class FunctionCreator(IPluginCreator):
    """A creator of plugins of a function.

    `defaults` are the fields, with the values that they have if they are left out.
    """

    def __init__(self, name: str, function: Callable[..., Any], **defaults: float) -> None:
        self.name, self._function, self._defaults = name, function, defaults
        self.field_names = PluginFieldCollection([PluginField(n, None, PluginFieldType.FLOAT32) for n in defaults])

    def create_plugin(self, name: str, field_collection: PluginFieldCollection) -> IPluginV2:
        given = PluginFieldCollection(field_collection).numbers()
        unknown = set(given) - set(self._defaults)
        if unknown:
            raise ValueError(
                f"{self.name} has no field {', '.join(sorted(unknown))}; it has {', '.join(self._defaults) or 'none'}."
            )
        return FunctionPlugin(
            self.name, self._function, {n: given.get(n, np.array([d])) for n, d in self._defaults.items()}
        )


def _instance_norm(x: Any, scale: Any, bias: Any, epsilon: float) -> Any:
    """Each channel of each example has the mean 0 and the variance 1, then a scale and a bias."""
    mean, variance = tf.nn.moments(x, list(range(2, len(x.shape))), keepdims=True)
    shape = [1, -1, *[1] * (len(x.shape) - 2)]
    return tf.nn.batch_normalization(x, mean, variance, tf.reshape(bias, shape), tf.reshape(scale, shape), epsilon)


STANDARD: tuple[tuple[str, Callable[..., Any], dict[str, float]], ...] = (
    ("LReLU_TRT", lambda x, negSlope: tf.nn.leaky_relu(x, negSlope), {"negSlope": 0.0}),
    ("Clip_TRT", lambda x, clipMin, clipMax: tf.clip_by_value(x, clipMin, clipMax), {"clipMin": 0.0, "clipMax": 1.0}),
    ("CustomGeluPluginDynamic", lambda x: tf.nn.gelu(x, approximate=True), {}),
    ("InstanceNormalization_TRT", _instance_norm, {"epsilon": 1e-5}),
)
_registry = IPluginRegistry()


def get_plugin_registry() -> IPluginRegistry:
    """The registry of the process.

    >>> [c.name for c in tf.engine.get_plugin_registry().plugin_creator_list][:2]
    ['LReLU_TRT', 'Clip_TRT']
    """
    if not _registry.plugin_creator_list:
        for name, function, defaults in STANDARD:
            _registry.register_creator(FunctionCreator(name, function, **defaults))
    return _registry


def init_libnvinfer_plugins(logger: ILogger | None, namespace: str) -> bool:
    """Add TensorRT's own plugins to the registry, under a namespace too.

    >>> tf.engine.init_libnvinfer_plugins(None, "")
    True
    """
    registry = get_plugin_registry()
    for name, function, defaults in STANDARD:
        registry.register_creator(FunctionCreator(name, function, **defaults), namespace)
    return True
