"""`reflow/distribute/dtensor/tensor.py`: how a tensor on a mesh looks, and that a divided one is no array."""

import numpy as np
import pytest

import reflow as tf
from tests.distribute.dtensor.meshes import dtensor, four, on_one


def test_a_divided_tensor_shows_its_parts_and_is_no_array():
    layout = dtensor.Layout(["x"], four())
    x = dtensor.copy_to_mesh([1.0, 2.5], layout)
    shown = f'{{"CPU:0": [1], "CPU:1": [1], "CPU:2": [2.5], "CPU:3": [2.5]}}, layout="{layout.to_string()}"'
    assert repr(x) == f"<tf.Tensor: shape=(2,), dtype=float32, value={shown}>"
    assert str(x) == f"tf.Tensor({shown}, shape=(2,), dtype=float32)"
    for use in (x.numpy, lambda: np.asarray(x)):
        with pytest.raises(
            tf.errors.UnimplementedError, match="Trying to copy a non-single-device and non-replicated DTensor"
        ):
            use()
    with pytest.raises(RuntimeError, match="Trying to copy"):
        x.cpu()
    assert x.device.endswith("CUSTOM:0") and len(x) == 2


def test_a_whole_tensor_is_an_array():
    x = on_one([[True, False]], dtensor.UNSHARDED, dtensor.UNSHARDED)
    assert 'value=[[1 0]], layout="sharding_specs:unsharded,unsharded' in repr(x)
    assert x.numpy().tolist() == [[True, False]] and on_one("text").numpy() == b"text"


def test_what_does_not_fit_a_layout():
    with pytest.raises(tf.errors.UnknownError, match="dimension 0 to be divisible"):
        dtensor.copy_to_mesh([1.0], dtensor.Layout(["x"], four()))
    with pytest.raises(tf.errors.UnknownError, match="requires matching rank"):
        dtensor.copy_to_mesh([1.0], dtensor.Layout([], four()))
