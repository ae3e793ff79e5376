"""What every test starts from: fixed seeds, strict JAX settings, and no state left over from the test before.

A test that leaves a graph, a tape, a name scope, a device or a strategy behind fails itself, instead of the next one.
"""

import atexit
import gc
import os
import random
import shutil
import tempfile

import jax
import numpy as np
import pytest

from reflow.core.context import State, state
from reflow.devices import placement
from reflow.drop_in import names
from tests.pretended import machine  # noqa: F401 - a fixture

# the first process of a run: those that it starts share its compiled programs, and no other run does
if "REFLOW_PROGRAMS" not in os.environ:
    os.environ["REFLOW_PROGRAMS"] = tempfile.mkdtemp(prefix="reflow-programs-")
    atexit.register(shutil.rmtree, os.environ["REFLOW_PROGRAMS"], ignore_errors=True)

os.environ["REFLOW_COMPILE_AT"] = "2"  # in child processes too: two calls test both the interpreter and the compiler

# The drop-in renames Reflow's classes for the rest of the process: later tests would find other names in examples and
# errors.
names.class_names = lambda: names.CLASSES

jax.config.update("jax_numpy_dtype_promotion", "strict")  # kernels name their dtypes: see ops/xp/xla/__init__.py
jax.config.update("jax_num_cpu_devices", 4)  # tests/devices/test_placement.py calls some of them GPUs

WATCHED = (
    *("graph", "tapes", "device", "place", "name_scope", "replica_context", "strategy", "variant", "variable_creators"),
    *("interpreting", "native"),
)


@pytest.fixture(autouse=True)
def fixed_seeds():
    """The same random numbers in every test, whatever ran before."""
    import reflow as tf

    random.seed(0)
    np.random.seed(0)
    tf.random.set_seed(0)


@pytest.fixture(autouse=True)
def no_leaks():
    """A test leaves the state of its thread as it found it: eager, no tapes, no scopes."""
    yield
    leaked = {name: getattr(state, name) for name in WATCHED if getattr(state, name) != getattr(State, name)}
    if state.own_backend is not None:
        leaked["backend"] = state.own_backend
    state.put({name: None if name == "backend" else getattr(State, name) for name in leaked})
    placement.unwrap()  # the backend of DTensors, which stays in a program
    assert not leaked, f"the test left behind {leaked}"


@pytest.fixture
def in_64_bits():
    """JAX computes in 64 bits while the test runs, and as before afterwards."""
    from reflow.ops.xp.xla.base import wide_types

    with wide_types():
        yield


@pytest.fixture
def jax_in_32_bits_again():
    """For tests that interrupt at random moments.

    An interrupt inside JAX's own `with jax.enable_x64(True)` can leave the thread in 64 bits.
    """
    yield
    from jax._src import config  # there is no public way back

    config.enable_x64.set_local(config.config_ext.unset)


def pytest_collection_finish():
    """Keep what 25,000 collected tests consist of out of every later garbage collection."""
    set_aside()


def pytest_runtest_teardown(item, nextitem):
    """The same for what a file's tests leave behind: programs, graphs, modules.

    A loop of 3,000 tapes takes 1 s instead of 10 then.
    """
    if nextitem is None or nextitem.path != item.path:
        set_aside()


def set_aside():
    gc.collect()
    gc.freeze()
