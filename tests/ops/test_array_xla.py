"""Array kernels and their gradients inside one XLA program give what they give on the host."""

import jax
import numpy as np
import pytest

import reflow as tf
from reflow.core.context import state
from reflow.ops.registry import NeedsValue, get
from reflow.ops.reverse import Recorder
from reflow.ops.xp import host as host_xp
from reflow.ops.xp import xla as xla_xp
from reflow.ops.xp.xla.base import wide_types
from tests.api.array import array_cases


@pytest.fixture(autouse=True)
def sixty_four_bits():
    with wide_types():
        yield


def recorded():
    """Every op that the gradient cases run on device values, once: (case, op, inputs, outputs, attributes)."""
    found = []
    for name, (function, inputs) in array_cases.GRADIENTS.items():
        tensors = [tf.constant(x) for x in inputs]
        with Recorder(tensors) as recorder:
            function(tf, *tensors)
        found += [(name, *r) for r in recorder.records if not r[0].host and r[0].grad is not None]
    return found


def static_places(op, count):
    if not op.has_lists:
        return set(op.static_indices)
    names = [a.name for a in op.definition.inputs]
    return {i if not any(a.is_list for a in op.definition.inputs[:i]) else i - len(names) + count
            for i in (names.index(s) for s in op.static)}


def test_kernels_and_gradients_in_one_program():
    programs, expected, arguments = [], [], []
    for name, op, inputs, outputs, attrs in recorded():
        values = [t._host() for t in inputs]
        # operands of slices may be tracers in a program; here they are values, as after folding
        fixed = {
            i for i, v in enumerate(values) if v.dtype.kind != "f" and v.dtype.kind != "c" and op.name != "GatherV2"
        }
        fixed |= static_places(op, len(values))
        cts = [np.ones(o.shape, o._host().dtype) * 2 if o.dtype.kind in "fc" else None for o in outputs]
        wanted = [t.dtype.kind in "fc" and i not in op.nondiff_indices for i, t in enumerate(inputs)]
        grads = state.run(op.grad, host_xp, attrs, values, [o._host() for o in outputs], cts, wanted)
        expected.append((name, op, [o._host() for o in outputs] + [g for g, w in zip(grads, wanted, strict=True) if w]))
        arguments.append([None if i in fixed else v for i, v in enumerate(values)])
        programs.append((op, attrs, values, cts, wanted))

    def program(arguments):
        results = []
        for given, (op, attrs, values, cts, wanted) in zip(arguments, programs, strict=True):
            inputs = [v if g is None else g for g, v in zip(given, values, strict=True)]
            out = op.call(xla_xp, inputs, attrs)
            outs = [out] if op.single else list(out)
            grads = op.grad(xla_xp, attrs, inputs, outs, cts, wanted)
            results.append(outs + [g for g, w in zip(grads, wanted, strict=True) if w])
        return results

    for got, (name, op, want) in zip(jax.jit(program)(arguments), expected, strict=True):
        for g, w in zip(got, want, strict=True):
            assert g.dtype == w.dtype and g.shape == w.shape, (name, op)
            np.testing.assert_allclose(np.asarray(g), w, rtol=1e-5, atol=1e-5, err_msg=f"{name} {op}")


def test_index_that_is_not_known_before():
    """x[i, :, j] with tracers i, j is a dynamic slice; a bound that is not known needs the host."""
    op, x = get("StridedSlice"), np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    attrs = {"shrink_axis_mask": 0b101, "begin_mask": 0b010, "end_mask": 0b010}
    strides = np.ones(3, np.int32)

    def pick(x, i):
        return op.call(xla_xp, [x, i, i + np.int32(1), strides], attrs)

    def back(x, i):
        wanted = [True, False, False, False]
        return op.grad(xla_xp, attrs, [x, i, i + np.int32(1), strides], [None], [np.full(3, 5, np.float32)], wanted)[0]

    for index in ([1, 0, 2], [-1, 0, -4]):
        at = np.array(index, np.int32)
        np.testing.assert_array_equal(jax.jit(pick)(x, at), x[index[0], :, index[2]])
        expected = np.zeros_like(x)
        expected[index[0], :, index[2]] = 5
        np.testing.assert_array_equal(jax.jit(back)(x, at), expected)
    with pytest.raises(NeedsValue):
        jax.jit(lambda x, n: op.call(xla_xp, [x, np.zeros(1, np.int32), n, np.ones(1, np.int32)], {"begin_mask": 1}))(
            x, np.array([1], np.int32))


def test_check_of_an_index_in_a_program():
    op, x = get("StridedSlice"), np.zeros((2, 3), np.float32)
    one = np.ones(1, np.int32)

    def flags(i):
        return [ok for ok, _ in op.checks[0](xla_xp, {"shrink_axis_mask": 1}, x, i, i + one, one)]

    assert [bool(jax.jit(flags)(np.array([i], np.int32))[0]) for i in (-3, -2, 1, 2)] == [False, True, True, False]
