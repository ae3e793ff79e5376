"""The plugin registry."""

import numpy as np
import pytest

import reflow as tf
import reflow.engine as trt

X = np.array([[-1.0, 0.5, 3.0]], np.float32)


def run(made, *inputs):
    graph = made.graph()
    return [np.asarray(v) for v in graph.run([*inputs, *[t._value for t in graph.external_captures]])]


def field(name, *numbers):
    return trt.PluginField(name, np.array(numbers, np.float32), trt.PluginFieldType.FLOAT32)


def through(creator, *fields):
    """A network of one plugin."""
    made = trt.INetworkDefinition()
    x = made.add_input("x", trt.float32, X.shape)
    layer = made.add_plugin_v2([x], creator.create_plugin("own", trt.PluginFieldCollection(fields)))
    for tensor in layer.outputs:
        made.mark_output(tensor)
    return run(made, X)


def test_plugins_of_tensorrt_are_found_by_name():
    assert trt.init_libnvinfer_plugins(None, "")
    registry = trt.get_plugin_registry()
    creator = registry.get_plugin_creator("LReLU_TRT", "1", "")
    assert [f.name for f in creator.field_names] == ["negSlope"]
    np.testing.assert_allclose(through(creator, field("negSlope", 0.1))[0], np.where(X < 0, X * np.float32(0.1), X))
    np.testing.assert_allclose(
        through(registry.get_plugin_creator("Clip_TRT"), field("clipMax", 2.0))[0], np.clip(X, 0, 2)
    )
    with pytest.raises(ValueError, match="has no field slope; it has negSlope"):
        creator.create_plugin("x", trt.PluginFieldCollection([field("slope", 1)]))
    assert registry.get_plugin_creator("nothing") is None


class Halves(trt.IPluginV2):
    num_outputs = 2

    def __init__(self, by):
        self.by = by

    def compute(self, x):
        return x / self.by, tf.reduce_sum(x, -1)


class HalvesCreator(trt.IPluginCreator):
    name = "Halves"

    def create_plugin(self, name, field_collection):
        return Halves(float(field_collection[0].data[0]))


def test_a_creator_of_the_users():
    registry, creator = trt.IPluginRegistry(), HalvesCreator()
    assert registry.register_creator(creator, "mine") and not registry.register_creator(HalvesCreator(), "mine")
    assert registry.get_plugin_creator("Halves", "1", "mine") is creator and creator.plugin_namespace == "mine"
    half, total = through(creator, field("by", 2.0))
    np.testing.assert_allclose(half, X / 2)
    np.testing.assert_allclose(total, X.sum(-1))
    assert registry.deregister_creator(creator) and not registry.deregister_creator(creator)
    with pytest.raises(ValueError, match="IPluginCreator has no name"):
        registry.register_creator(trt.IPluginCreator())


def test_a_normalisation_of_three_inputs():
    x = np.arange(8, dtype=np.float32).reshape(1, 2, 4)
    made = trt.INetworkDefinition()
    tensor = made.add_input("x", trt.float32, x.shape)
    ones = made.add_constant((2,), np.ones(2, np.float32)).get_output(0)
    creator = trt.get_plugin_registry().get_plugin_creator("InstanceNormalization_TRT")
    layer = made.add_plugin_v2([tensor, ones, ones], creator.create_plugin("n", []))
    made.mark_output(layer.get_output(0))
    (y,) = run(made, x)
    np.testing.assert_allclose(y.mean(-1), np.ones((1, 2)), rtol=1e-5)
    np.testing.assert_allclose(y.std(-1), np.ones((1, 2)), rtol=1e-3)
