"""The functions of the array namespace `xp`, by the modules that implement them.

`xp.host` and `xp.xla` each have the modules `arrays`, `slices`, `math`, `linalg` and `windows`, which export their part
of this list. The functions of `SHARED` are written once, in terms of those (`xp.shared`, `xp.dtype_facts`).
"""

from __future__ import annotations

from typing import Any


def _names(text: str) -> list[str]:
    return text.split()


#: creation, dtypes, shapes, gathering and scattering
ARRAYS = _names("""
    arange asarray bitcast broadcast_to cast compact concat expand_dims eye flip full gather_nd iota materialize
    matrix_transpose mirror_pad mirror_pad_grad ones ones_like pad reshape roll scan scatter_nd scatter_rows select
    split squeeze stack take take_along_axis tile top_k_grad_like transpose unstack zeros zeros_like zeros_like_any
""")

#: slices by Python ints, by 0-d arrays, and by the operands of TensorFlow's slicing ops
SLICES = _names("""
    dynamic_slice dynamic_update_slice scalars slice slice_grad_like strided_slice strided_slice_by strided_slice_grad
    strided_slice_grad_of strided_slice_update wrapped_starts
""")

#: elementwise functions and reductions
MATH = _names("""
    abs acos acosh add all all_below angle any argmax argmin argsort asin asinh atan atan2 atanh bessel_i0e
    bessel_i1e betainc bitwise_and bitwise_not bitwise_or bitwise_xor ceil complex conj cos cosh cummax cummin
    cumprod cumsum digamma divide equal erf erfc erfinv exp expm1 floor floor_divide floor_mod greater
    greater_equal igamma igamma_grad_a igammac imag isfinite isinf isnan left_shift less less_equal lgamma log log1p
    logcumsumexp logical_and logical_not logical_or logical_xor max maximum mean min minimum multiply ndtri
    negative nextafter not_equal polygamma population_count power prod real reciprocal relu right_shift rint
    rsqrt searchsorted sigmoid sign sin sinh softplus sort sqrt square subtract sum tan tanh top_k trunc
    truncate_div truncate_mod zeta
""")

#: products, factorisations, Fourier transforms
LINALG = _names("""
    band_part cholesky det diag diag_part eig eigh einsum fftn inv lu matmul qr set_diag slogdet solve svd
    triangular_solve
""")

#: convolutions and pooling
WINDOWS = _names("""
    avg_pool avg_pool_grad conv conv_backprop_filter conv_backprop_input max_pool max_pool_grad
""")

#: kernels that only some devices have: a result, or None if the caller must compute it in steps (`xp.unfused`,
#: `xp.xla.fused`)
FUSED = _names("fused_adam fused_attention fused_attention_grads fused_relu_grad")

#: functions of arrays, written in terms of others
SHARED = _names("""
    broadcast_like broadcast_prefix broadcast_rows const fft highest ifft irfft keep_axes lowest lowest_like ndim
    reshape_like rfft segment_prod_like segment_sum_like shape size size_ratio sum_to_like unreduce unsorted_segment
""")

#: helpers that take the operands of one op; that op's tests compare the implementations, not `tests/ops/test_xp.py`
HELPERS = _names("""
    batch_to_space_by compact concat_grads depth_to_space fft_last fit_last flip_by irfft_adjoint last_sizes materialize
    mirror_pad_back mirror_pad_by pad_grad_like reverse_sequence rfft_adjoint roll_by scalars scan slice_grad_like
    space_to_batch_by space_to_depth static_axes static_int strided_slice_by strided_slice_grad_like
    strided_slice_grad_of strided_slice_update take_grad_like tile_grad_like top_k_grad_like transpose_back unstack
    wrapped_starts zeros_like_any
""")

#: the functions that `tests/ops/test_xp.py` compares (`FUSED` differ by design)
NAMES = sorted({*ARRAYS, *SLICES, *MATH, *LINALG, *WINDOWS, *SHARED} - {*HELPERS})


def named(function: Any, name: str) -> Any:
    """`function` under its name in `xp`."""
    function.__name__ = function.__qualname__ = name
    return function
