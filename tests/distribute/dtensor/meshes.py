"""Meshes for tests in this process. Programs of several CPU devices exchange values, which few cores may wait for for
ever (`reflow/distribute/dtensor/mesh.py`); those run in a process of their own."""

import reflow as tf

dtensor = tf.experimental.dtensor


def one():
    """A mesh of one device: everything works, nothing is divided."""
    return dtensor.create_mesh([("x", 1)], devices=["CPU:0"])


def four():
    """Two by two devices, for layouts and for values that come from the host."""
    return dtensor.create_mesh([("x", 2), ("y", 2)], devices=[f"CPU:{i}" for i in range(4)])


def on_one(value, *specs):
    return dtensor.copy_to_mesh(value, dtensor.Layout([*specs], one()))
