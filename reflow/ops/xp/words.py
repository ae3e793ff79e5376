"""The vocabulary of the facade `xp`: its words, by the modules that implement them on the host and on XLA.

Each of those modules exports its part of this list; `host_xp` and `xla_xp` have all of it. What the words have in
common is said in `host_xp`.
"""


def _words(text: str) -> list[str]:
    return text.split()


#: creation, dtypes, shapes, indexing: `host_arrays`, `xla_arrays`
ARRAYS = _words("""
    arange asarray bitcast broadcast_like broadcast_to cast concat const dynamic_slice dynamic_update_slice
    expand_dims eye flip full gather_nd iota matrix_transpose mirror_pad mirror_pad_grad ndim ones ones_like pad
    reshape reshape_like roll scatter_nd scatter_rows select shape size slice split squeeze stack strided_slice
    strided_slice_grad sum_to_like take take_along_axis tile transpose unsorted_segment zeros zeros_like
""")

#: elementwise functions and reductions: `host_math`, `xla_math`
MATH = _words("""
    abs acos acosh add all all_below angle any argmax argmin argsort asin asinh atan atan2 atanh bessel_i0e
    bessel_i1e betainc bitwise_and bitwise_not bitwise_or bitwise_xor ceil complex conj cos cosh cummax cummin
    cumprod cumsum digamma divide equal erf erfc erfinv exp expm1 floor floor_divide floor_mod greater
    greater_equal igamma igammac imag isfinite isinf isnan left_shift less less_equal lgamma log log1p
    logcumsumexp logical_and logical_not logical_or logical_xor max maximum mean min minimum multiply ndtri
    negative nextafter not_equal polygamma population_count power prod real reciprocal relu right_shift rint
    rsqrt searchsorted sigmoid sign sin sinh softplus sort sqrt square subtract sum tan tanh top_k trunc
    truncate_div truncate_mod zeta
""")

#: products, factorisations, Fourier transforms: `host_linalg`, `xla_linalg`
LINALG = _words("""
    band_part cholesky det diag diag_part eig eigh einsum fft fftn ifft inv irfft lu matmul qr rfft set_diag
    slogdet solve svd triangular_solve
""")

#: convolutions and pooling: `host_windows`, `xla_windows`
WINDOWS = _words("""
    avg_pool avg_pool_grad conv conv_backprop_filter conv_backprop_input max_pool max_pool_grad
""")

#: what gradients need beyond that: `host_gradients`, `xla_gradients`
GRADIENTS = _words("""
    broadcast_prefix broadcast_rows fft_last igamma_grad_a irfft_adjoint keep_axes rfft_adjoint
    segment_prod_like segment_sum_like size_ratio static_axes unreduce
""")

#: the same for ops on arrays: `host_gradients_array`, `xla_gradients_array`
GRADIENTS_ARRAY = _words("""
    batch_to_space_by compact concat_grads depth_to_space flip_by materialize mirror_pad_back mirror_pad_by
    pad_grad_like reverse_sequence roll_by slice_grad_like space_to_batch_by space_to_depth static_int
    strided_slice_by strided_slice_grad_like strided_slice_grad_of strided_slice_update take_grad_like
    tile_grad_like top_k_grad_like transpose_back unstack wrapped_starts zeros_like_any
""")

#: those that are the same on both sides: `facade_shapes`
SHARED = ["highest", "lowest", "lowest_like"]

#: helpers that take operands as their op has them: the tests of those ops compare them, not `tests/ops/test_facade.py`
HELPERS = {"fft_last", "irfft_adjoint", "rfft_adjoint", "static_axes", *GRADIENTS_ARRAY}

#: the words that mean the same on both sides whatever their arguments
WORDS = sorted({*ARRAYS, *MATH, *LINALG, *WINDOWS, *GRADIENTS, *SHARED} - HELPERS)
