"""On the CPU eager code runs host kernels: a new (op, shape) must not cost an XLA compilation of 16 to 245 ms."""

import contextlib
import pathlib

import jax
import pytest

import reflow as tf
from tests.ops import numeric
from tests.ops.table import TABLE

#: ops whose eager gradient still goes through JAX ("op reason"); the list only shrinks
LIST = pathlib.Path(__file__).with_name("compiling_ops.txt")
ALLOWED = {line.split()[0] for line in LIST.read_text().splitlines() if line.split("#")[0].strip()}


@contextlib.contextmanager
def compilations():
    """The names of JAX's compile events that happen in a `with` block."""
    seen: list = []

    def listen(event, duration, **facts):
        if "backend_compile" in event:
            seen.append(event)

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        yield seen
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)


def test_the_listener_hears_a_compilation():
    with compilations() as seen:
        jax.jit(lambda x: x * 3.0 + 1.0)(2.0).block_until_ready()
    assert seen


@pytest.mark.parametrize("op", sorted({c.op for c in TABLE.values()}))
def test_eager_never_compiles(op):
    """All cases of an op, and their gradients, run without compiling anything."""
    for case in TABLE.values():
        if case.op != op or "eager" not in case.modes:
            continue
        with compilations() as seen, contextlib.suppress(Exception):  # what fails is reported by test_table.py
            inputs = numeric.tensors(tf, case)
            numeric.outputs(tf, case, inputs)
            if case.grad:
                numeric.gradients(tf, case, inputs)
        if op in ALLOWED:
            if seen:
                return
        else:
            assert not seen, f"{case.id} compiled {len(seen)} programs"
    assert op not in ALLOWED, f"{op} compiles nothing any more: take it off {LIST.name}"
