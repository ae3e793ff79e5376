"""Networks."""

import numpy as np
import pytest

import reflow.engine as trt
from reflow.engine.network import scope_name
from tests.engine.engines import network


def test_shapes_follow_the_layers_also_when_those_change():
    made = trt.INetworkDefinition()
    x = made.add_input("x", trt.float32, (-1, 3, 8, 8))
    conv = made.add_convolution_nd(x, 2, (3, 3), np.zeros((2, 3, 3, 3), np.float32))
    assert conv.get_output(0).shape == (-1, 2, 6, 6) and conv.get_output(0).dtype is trt.float32
    conv.padding_nd = (1, 1)
    conv.stride_nd = (2, 2)
    assert conv.get_output(0).shape == (-1, 2, 4, 4)
    x.shape = (1, 3, 16, 16)
    assert conv.get_output(0).shape == (1, 2, 8, 8)


def test_inputs_outputs_and_layers_are_listed():
    made = network()
    assert (made.num_inputs, made.num_outputs, made.num_layers, len(made)) == (1, 1, 6, 6)
    assert made.get_input(0).is_network_input and made.get_output(0).is_network_output
    assert made.get_layer(0).type == "CONVOLUTION" and made[5].name == "SoftMax_5"
    assert "add_convolution_nd" in dir(made)


def test_refusals():
    made = trt.INetworkDefinition()
    x = made.add_input("x", trt.float32, (2, 2))
    with pytest.raises(ValueError, match="an input 'x' already"):
        made.add_input("x", trt.float32, (2, 2))
    with pytest.raises(ValueError, match="no outputs"):
        made.graph()
    with pytest.raises(AttributeError, match="add_nonsense"):
        made.add_nonsense(x)
    with pytest.raises(ValueError, match="follows from its layer"):
        made.add_identity(x).get_output(0).shape = (1,)


def test_names_of_layers_become_scopes():
    assert scope_name("/block 1/conv:0") == "block_1/conv_0" and scope_name("_x") == "layer__x"
