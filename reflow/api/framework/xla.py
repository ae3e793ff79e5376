"""`tf.__internal__.xla`: functions of TensorFlow's XLA bridge, `tensorflow.compiler.tf2xla.python.xla`."""

from __future__ import annotations

from reflow.api.array import arrange
from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.shapes import dims_of
from reflow.ops.convert import convert_to_tensor
from reflow.ops.kernels.control.stablehlo import NEWEST_VERSION


@export("__internal__.xla.call_module_maximum_supported_version")
def call_module_maximum_supported_version():
    """The newest calling convention of programs that `call_module` knows."""
    return NEWEST_VERSION


@export("__internal__.xla.call_module")
def call_module(
    args, *, version=4, module, Tout, Sout, platforms=(), function_list=(), has_token_input_output=False,
    disabled_checks=(), use_shardy_partitioner=False,
):
    """Calls a program in StableHLO: `jax2tf.convert` writes JAX functions as such programs.

    Args:
      args: The tensors it takes.
      version: Its calling convention, a number that `jax.export` says.
      module: The program, in StableHLO's portable format.
      Tout: The dtypes of its results.
      Sout: Their shapes, as far as they are known.
      platforms: The platforms it was made for; with several, its first argument says which one runs.
      function_list: TensorFlow's functions that it calls; none are supported.
      has_token_input_output: Whether it takes and returns tokens, as those of version 8 and older may.
      disabled_checks: Checks that it does without.
      use_shardy_partitioner: How XLA divides it among several devices.

    Returns:
      A list of tensors.

    Raises:
      InvalidArgumentError: The program does not take such tensors.
    """
    attrs = {
        "version": version, "module": module, "Sout": [dims_of(shape) for shape in Sout],
        "Tout": [dtypes.as_dtype(kind) for kind in Tout], "platforms": list(platforms),
        "function_list": list(function_list), "has_token_input_output": has_token_input_output,
        "disabled_checks": list(disabled_checks), "use_shardy_partitioner": use_shardy_partitioner,
    }  # fmt: skip
    tensors = [convert_to_tensor(x) for x in args]
    return list(call("XlaCallModule", tensors, attrs | {"Tin": [t._dtype for t in tensors]}))


@export("__internal__.xla.dynamic_update_slice")
def dynamic_update_slice(x, updates, starts):
    """`x` with `updates` written at `starts`, which are moved so that it fits.

    >>> dynamic_update_slice(tf.zeros([3]), [1.0, 2.0], [2]).numpy().tolist()
    [0.0, 1.0, 2.0]
    """
    x = convert_to_tensor(x)
    starts = convert_to_tensor(starts, dtype_hint=dtypes.int32)
    return call("Reflow>DynamicUpdateSlice", (x, convert_to_tensor(updates, x.dtype), starts), {"T_output": x.dtype})


@export("__internal__.xla.dynamic_slice")
def dynamic_slice(x, starts, sizes):
    """The part of `x` that begins at `starts` and has `sizes`; the beginning is moved so that it fits.

    >>> dynamic_slice([1, 2, 3, 4], [3], [2]).numpy().tolist()
    [3, 4]
    """
    x = convert_to_tensor(x)
    sizes = convert_to_tensor(sizes, dtype_hint=dtypes.int32)
    starts = convert_to_tensor(starts, sizes.dtype)
    last = arrange.shape(x, sizes.dtype) - sizes
    starts = call("Maximum", (call("Minimum", (starts, last)), convert_to_tensor(0, starts.dtype)))
    return call("Slice", (x, starts, sizes))
