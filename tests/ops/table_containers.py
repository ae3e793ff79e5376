"""Staging areas, stacks, tensor arrays: what holds tensors between steps."""
# ruff: noqa: E501 - a case is one line

from tests.ops.inputs import normal
from tests.ops.table import EAGER, case, raw

# --- staging areas


def _staged(tf, x):
    facts = dict(shared_name="staging area of a case", dtypes=[x.dtype, tf.int32])
    put = lambda v, n: raw(tf, "Stage", values=[v, tf.constant(n)], shared_name=facts["shared_name"])
    put(x, 1), put(x * 2.0, 2), put(x * 3.0, 3)
    out = [raw(tf, "StageSize", **facts), raw(tf, "StagePeek", index=1, **facts), raw(tf, "Unstage", **facts), raw(tf, "StageSize", **facts)]
    raw(tf, "StageClear", **facts)
    return [*out, raw(tf, "StageSize", **facts)]


case("Stage", _staged, normal(2, 3), modes=EAGER, grad=False, covers=("StageSize", "StagePeek", "Unstage", "StageClear"))


def _staged_by_key(tf, x, kind):
    facts = dict(shared_name=f"{kind} of a case", dtypes=[x.dtype, tf.int32])
    key = lambda n: tf.constant(n, tf.int64)
    stage = lambda n, indices, values: raw(tf, f"{kind}Stage", key=key(n), indices=indices, values=values, **facts)
    sizes = lambda: [raw(tf, f"{kind}Size", **facts), raw(tf, f"{kind}IncompleteSize", **facts)]
    stage(3, [0, 1], [x, tf.constant(5)])
    stage(1, [0], [x * 2.0])
    out = sizes()
    stage(1, [1], [tf.constant(7)])
    out += [*sizes(), raw(tf, f"{kind}Peek", key=key(3), indices=[0, 1], **facts), raw(tf, f"{kind}Unstage", key=key(3), indices=[0, 1], **facts)]
    out += [*sizes(), raw(tf, f"{kind}UnstageNoKey", indices=[0, 1], **facts)]
    stage(9, [0, 1], [x, tf.constant(5)])
    raw(tf, f"{kind}Clear", **facts)
    return out + sizes()


for _kind in ("Map", "OrderedMap"):
    case(f"{_kind}Stage", lambda tf, x, _k=_kind: _staged_by_key(tf, x, _k), normal(2, 3), modes=EAGER, grad=False,
         covers=tuple(f"{_kind}{end}" for end in ("Size", "IncompleteSize", "Peek", "Unstage", "UnstageNoKey", "Clear")))

# --- stacks


def _stacked(tf, x):
    handle = raw(tf, "StackV2", max_size=-1, elem_type=x.dtype, stack_name="")
    out = [raw(tf, "StackPushV2", handle=handle, elem=x), raw(tf, "StackPushV2", handle=handle, elem=x[0])]
    out += [raw(tf, "StackPopV2", handle=handle, elem_type=x.dtype) for _ in range(2)]
    raw(tf, "StackCloseV2", handle=handle)
    return out


case("StackV2", _stacked, normal(2, 3), modes=EAGER, grad=False, covers=("StackPushV2", "StackPopV2", "StackCloseV2"))

# --- tensor arrays


def _array(tf, x, size=3, **facts):
    return raw(tf, "TensorArrayV3", size=size, dtype=x.dtype, tensor_array_name="", **facts)


def _written(tf, x):
    handle, flow = _array(tf, x, clear_after_read=False)
    flow = raw(tf, "TensorArrayWriteV3", handle=handle, index=1, value=x[0], flow_in=flow)
    flow = raw(tf, "TensorArrayScatterV3", handle=handle, indices=[2, 0], value=x[1:], flow_in=flow)
    out = [raw(tf, "TensorArrayReadV3", handle=handle, index=2, flow_in=flow, dtype=x.dtype), raw(tf, "TensorArraySizeV3", handle=handle, flow_in=flow),
           raw(tf, "TensorArrayGatherV3", handle=handle, indices=[0, 1, 2], flow_in=flow, dtype=x.dtype), raw(tf, "TensorArrayConcatV3", handle=handle, flow_in=flow, dtype=x.dtype)]
    raw(tf, "TensorArrayCloseV3", handle=handle)
    return out


def _with_gradient(tf, x, op, **more):
    """What is written to a gradient array twice is added; what is not written is zero."""
    handle, flow = _array(tf, x, element_shape=[2])
    for i in range(3):
        flow = raw(tf, "TensorArrayWriteV3", handle=handle, index=i, value=x[i], flow_in=flow)
    gradient, flow = raw(tf, op, handle=handle, flow_in=flow, source="gradients", **more)
    value = tf.stack([x[0], x[2]]) if more else x[0]
    for i in (0, 0, 2):
        flow = raw(tf, "TensorArrayWriteV3", handle=gradient, index=i, value=value, flow_in=flow)
    return [raw(tf, "TensorArrayReadV3", handle=gradient, index=i, flow_in=flow, dtype=x.dtype) for i in (0, 1, 2)]


def _split(tf, x):
    handle, flow = _array(tf, x, size=2, clear_after_read=False)
    flow = raw(tf, "TensorArraySplitV3", handle=handle, value=x, lengths=tf.constant([1, 2], tf.int64), flow_in=flow)
    return [raw(tf, "TensorArrayReadV3", handle=handle, index=i, flow_in=flow, dtype=x.dtype) for i in (0, 1)]


case("TensorArrayV3", _written, normal(3, 2), modes=EAGER, grad=False, covers=tuple(f"TensorArray{end}V3" for end in ("Write", "Scatter", "Read", "Size", "Gather", "Concat", "Close")))
case("TensorArrayGradV3", lambda tf, x: _with_gradient(tf, x, "TensorArrayGradV3"), normal(3, 2), modes=EAGER, grad=False)
case("TensorArrayGradWithShape", lambda tf, x: _with_gradient(tf, x, "TensorArrayGradWithShape", shape_to_prepend=[2]), normal(3, 2), modes=EAGER, grad=False)
case("TensorArraySplitV3", _split, normal(3, 2), modes=EAGER, grad=False)
