"""Variables: ops on handles. Reading and writing are ops, in eager code and in graphs.

A read returns an immutable array: later writes replace the cell's buffer, they never change it. Read-modify-write ops
hold `commit_lock`: two threads that add to a variable add twice. The gradient of a read passes the cotangent (dense or
`IndexedSlices`) to the handle, where the tape collects it.
"""

from __future__ import annotations

import numpy as np

from reflow.core import errors
from reflow.core.dtypes import as_dtype
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.resources import Handle, HandleFacts, commit_lock
from reflow.core.shapes import dims_of, includes
from reflow.ops import registry
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.dispatch import run
from reflow.ops.from_python import short_name
from reflow.ops.kernels.array.gather import check_scatter, first_bad
from reflow.ops.kernels.array.slicing import masks_of
from reflow.ops.naming import Naming
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.shape_rules import text


def _handle_dims(f):
    """The shape of the variable: the node says it, or the handle, if it is known which variable that is."""
    facts = f.values[0] if f.values else None
    if f.attrs.get("_handle_shape") is None and isinstance(facts, HandleFacts):
        return facts.dims
    return dims_of(f.attrs.get("_handle_shape"))


def _read_shape(f):
    return [_handle_dims(f)]


def _on_views(lowering, instruction, values):
    """The lowering rule: the kernel itself, on views of the program's variables."""
    record, views = instruction.op, [lowering.view(v) for v in values]
    lowering.require_values(instruction, values)
    lowering.check(instruction, views)
    try:
        out = record.call(lowering.xp, views, instruction.attrs)
    except errors.InvalidArgumentError:
        raise lowering.refusal(instruction, "it does not fit the variable") from None  # the host reports the error
    return [out] if record.single else list(out)


def variable_op(name: str, lower=_on_views, **facts):
    """The record of an op on a variable.

    Its kernel reads and writes a handle, or its replacement while it is traced.
    """
    return op(name, host=True, lower=lower, **facts)


def _pass_to_handle(attrs, inputs, outputs, cotangents, wanted):
    return [cotangents[0]]


def _variable_behind(f):
    """What a new handle says about its variable: so the reads in an imported graph have shapes."""
    return [HandleFacts(dims_of(f.attr("shape")), f.attr("dtype"))]


@op("VarHandleOp", shape=rules.scalar, value=_variable_behind, grad=NO_GRADIENT, host=True, pure=True)
def var_handle(_, dtype, shape=None, shared_name="", container=""):
    return Handle(dtype, dims_of(shape), shared_name)


@variable_op(
    "ReadVariableOp", shape=_read_shape, grad_tensors=_pass_to_handle, reads=("resource",), naming=Naming(asked_by=()),
    moves=True,
)
def read_variable(_, resource, dtype=None):
    if dtype is not None and resource.dtype is not None and dtype is not resource.dtype:
        raise ValueError(
            f"Trying to read variable with wrong dtype. Expected {short_name(dtype)} got {short_name(resource.dtype)}"
        )
    return resource.read()


def _check_assigned(handle, value, dtype, validate_shape):
    """Whether a variable can take a value. One without a value takes any shape, and is of no known shape if it was to
    have another; unless shapes are validated, as those in files are, where TensorFlow would let a later op fail."""
    if dtype is None and handle.dtype is not None and getattr(value, "dtype", None) is not None:
        dtype = as_dtype(value.dtype)
        if dtype is not handle.dtype:
            words = f"Expected {short_name(handle.dtype)} got {short_name(dtype)}"
            raise ValueError(f"Trying to assign variable with wrong dtype. {words}")
    if handle.dims is None or includes(handle.dims, value.shape):
        return
    if handle.cell.buf is None and not validate_shape:
        handle.dims = None
        return
    raise errors.InvalidArgumentError(
        None, None,
        f"Trying to assign to variable with tensor with wrong shape. Expected {text(handle.dims)} got "
        f"{text(value.shape)}",
    )


@variable_op(
    "AssignVariableOp", shape=rules.no_outputs, grad=NO_GRADIENT, writes=("resource",), naming=Naming(scope=False)
)
def assign_variable(_, resource, value, dtype=None, validate_shape=False):
    _check_assigned(resource, value, dtype, validate_shape)
    if resource.remote:
        return resource.forward("AssignVariableOp", value)
    with commit_lock:  # not between a program's reads and its writes
        resource.write(value)
    return ()


def _updated(resource, value):
    """The value of a variable that is to be changed by another of the same shape: nothing is broadcast."""
    old = resource.read()
    if old.shape != value.shape:
        raise errors.InvalidArgumentError(
            None, None,
            f"Cannot update variable with shape {text(old.shape)} using a Tensor with shape "
            f"{text(value.shape)}, shapes must be equal.",
        )
    return old


def _update_op(name: str, combine: str):
    """The op that writes `xp.<combine>(old, value)` to a variable."""

    @variable_op(
        name, shape=rules.no_outputs, grad=NO_GRADIENT, writes=("resource",), trace_check=traced.update_of_variable,
        naming=Naming(scope=False),
    )
    def update(xp, resource, value, dtype=None):
        if resource.remote:
            return resource.forward(name, value)
        with commit_lock:
            resource.write(getattr(xp, combine)(_updated(resource, value), value))
        return ()

    return update


assign_add_variable = _update_op("AssignAddVariableOp", "add")
assign_sub_variable = _update_op("AssignSubVariableOp", "subtract")


@op("ResourceCountUpTo", shape=rules.scalar, grad=NO_GRADIENT, host=True, writes=("resource",))
def resource_count_up_to(xp, resource, limit, T=None):
    value = resource.read()
    if value.ndim:
        raise ValueError(f"input is not a scalar: {text(value.shape)}")
    if value >= limit:
        raise errors.OutOfRangeError(None, None, f"Reached limit of {limit}")
    resource.write(value + np.array(1, value.dtype))
    return value


@op(
    "VarIsInitializedOp", shape=rules.scalar, grad=NO_GRADIENT, host=True, reads=("resource",), jit="between",
    handle_only=True,
)
def var_is_initialized(_, resource):
    if resource.remote:
        return resource.forward("VarIsInitializedOp")[0]
    return np.asarray(resource.cell.buf is not None)


@variable_op(
    "VariableShape", shape=lambda f: [(None,) if _handle_dims(f) is None else (len(_handle_dims(f)),)],
    value=_handle_dims, grad=NO_GRADIENT, reads=("input",), from_shapes=True,
)
def variable_shape(_, input, out_type):
    return np.asarray(input.read().shape, out_type.np_dtype)


@op("DestroyResourceOp", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, writes=("resource",), handle_only=True)
def destroy_resource(_, resource, ignore_lookup_error=True):
    resource.write(None)
    return ()


# --- gather and scatter on variables --------------------------------------------------------------------------------


def _check_rows(xp, attrs, resource, indices, *_):
    limit = resource.read().shape[0]
    return [(xp.all_below(indices, limit), lambda resource, indices, *_: first_bad(indices, limit))]


def _gather_grad(attrs, inputs, outputs, cotangents, wanted):
    handle, indices = inputs
    shape = run("VariableShape", handle, out_type=registry.dtypes.int32, _handle_shape=attrs.get("_handle_shape"))
    from reflow.ops.convert import constant
    from reflow.ops.reverse import dense

    flat = run("Reshape", indices, constant([-1]))
    one = constant([1])
    tail = run("StridedSlice", shape, one, constant([0]), one, end_mask=1)
    values_shape = run("ConcatV2", constant([-1]), tail, constant(0), N=2)
    values = run("Reshape", dense(cotangents[0]), values_shape)
    return [IndexedSlices(values, flat, shape), None]


@variable_op(
    "ResourceGather", shape=rules.resource_gather, grad_tensors=_gather_grad, checks=(_check_rows,),
    reads=("resource",), trace_words=traced.gather, naming=Naming("Gather"), moves=True,
)
def resource_gather(xp, resource, indices, dtype=None, batch_dims=0):
    return xp.take(resource.read(), indices, 0, batch_dims)


def _gather_nd_grad(attrs, inputs, outputs, cotangents, wanted):
    handle, indices = inputs
    shape = run("VariableShape", handle, out_type=indices._dtype, _handle_shape=attrs.get("_handle_shape"))
    return [run("ScatterNd", indices, cotangents[0], shape), None]


@variable_op(
    "ResourceGatherNd", shape=rules.unknown, grad_tensors=_gather_nd_grad, lower=None, jit="between",
    reads=("resource",),
)
def resource_gather_nd(xp, resource, indices, dtype=None):
    return xp.gather_nd(resource.read(), indices)


_SCATTER = {"shape": rules.no_outputs, "grad": NO_GRADIENT, "checks": (_check_rows,), "writes": ("resource",)}


def _scatter(name: str, mode: str):
    @variable_op(name, **_SCATTER)
    def kernel(xp, resource, indices, updates):
        if resource.remote:
            return resource.forward(name, indices, updates)
        with commit_lock:
            value = resource.read()
            updates = xp.broadcast_to(updates, indices.shape + value.shape[1:])
            resource.write(xp.scatter_rows(mode, value, indices, updates))
        return ()

    return kernel


for _name, _mode in {"Add": "add", "Sub": "sub", "Mul": "mul", "Min": "min", "Max": "max", "Update": "set"}.items():
    _scatter(f"ResourceScatter{_name}", _mode)


def _divide_rows(xp, resource, indices, updates):
    value = resource.read()
    updates = np.broadcast_to(updates, indices.shape + value.shape[1:]).reshape((-1,) + value.shape[1:])
    out = value.copy()
    for row, update in zip(indices.reshape(-1).tolist(), updates, strict=True):
        out[row] = out[row] / update
    resource.write(out)
    return ()


variable_op("ResourceScatterDiv", lower=None, jit="between", **_SCATTER)(_divide_rows)


def _scatter_nd(name: str, mode: str, **facts):
    @op(
        name, shape=rules.no_outputs, grad=NO_GRADIENT, host=True, writes=("ref",), trace_check=traced.resource_scatter,
        **facts,
    )
    def kernel(xp, ref, indices, updates):
        if ref.remote:
            return ref.forward(name, indices, updates)
        with commit_lock:
            value = ref.read()
            if indices.ndim == 1:  # one number for each row
                indices = indices[:, None]
            check_scatter(value.shape, indices, updates)
            limits = value.shape[: indices.shape[-1]]
            bad = np.argwhere(((indices < 0) | (indices >= np.asarray(limits, indices.dtype))).any(-1))
            if len(bad):
                at = tuple(bad[0])
                raise errors.InvalidArgumentError(
                    None, None,
                    f"indices[{','.join(map(str, at))}] = {indices[at].tolist()} does not index into "
                    f"shape {text(value.shape)}",
                )
            ref.write(xp.scatter_nd(mode, value, indices, updates))
        return ()

    return kernel


_scatter_nd("ResourceScatterNdUpdate", "set", jit="between")
_scatter_nd("ResourceScatterNdAdd", "add", jit="between")
_scatter_nd("ResourceScatterNdSub", "sub", jit="between")
_scatter_nd("ResourceScatterNdMin", "min")
_scatter_nd("ResourceScatterNdMax", "max")


@variable_op(
    "ResourceStridedSliceAssign", shape=rules.no_outputs, grad=NO_GRADIENT, static=("begin", "end", "strides"),
    writes=("ref",),
)
def resource_strided_slice_assign(xp, ref, begin, end, strides, value, **masks):
    with commit_lock:
        ref.write(xp.strided_slice_update(ref.read(), begin, end, strides, masks_of(masks), value))
    return ()


@op(
    "DisableCopyOnRead", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, effect=True, reads=("resource",),
    handle_only=True,
)
def disable_copy_on_read(_, resource):
    """A hint about memory: a value that was read is never written here, whatever happens to its variable."""
    return ()
