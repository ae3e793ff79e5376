"""Which objects are layers."""

from reflow.drop_in.python.trackable import layer_utils
from reflow.tracking.data_structures import ListWrapper


class Layer:
    _is_layer = True
    layers = ()


class Holder:
    def __init__(self, *layers):
        self.layers = layers


def test_layers_of_containers():
    first, second = Layer(), Layer()
    assert list(layer_utils.filter_empty_layer_containers([first, Holder(second, first), Holder()])) == [first, second]
    assert layer_utils.is_layer(first) and not layer_utils.is_layer(Layer)
    assert layer_utils.has_weights(ListWrapper([])) and not layer_utils.has_weights(first)
