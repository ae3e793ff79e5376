"""The array namespace `xp`: the functions that kernels and gradients are written against.

A kernel is written once, `def maximum(xp, x, y): return xp.maximum(x, y)`, and gets one of three implementations as
`xp`:

- `xp.host`: arguments and results are ndarrays. It runs eager ops, and functions that are interpreted.
- `xp.xla`: arguments are tracers, jax.Arrays or ndarrays, results are JAX values. It traces programs for XLA.
- `xp.tensor`: arguments and results are tensors, and each function dispatches ops. It turns gradients into ordinary
  ops.

All have the same functions (`names.py`) with the same signatures. `tests/ops/test_xp.py` runs every function on the
first two and compares values, dtypes and shapes. Code that several implementations have in common is written once:
functions composed of others (`shared/`), and facts about dtypes, shapes, windows and einsum equations (the modules in
this folder).

The rules of the namespace:
- Dtypes are never promoted: binary functions need equal dtypes, reductions keep theirs, creation takes one (np.dtype).
- Array arguments are arrays, never Python numbers: `xp.const(2.0, x)` is a 0-d array of x's dtype. Axes, shapes, sizes,
  permutations and flags are Python ints, tuples and bools.
- Results are arrays, never NumPy scalars. Inputs are never written; a result may be a view of an input.
- 8- and 16-bit floats are computed in float32 and rounded once.
- No function warns or raises because of values: the caller runs with np.seterr(all="ignore"), and errors that depend on
  values (division by zero, an index out of bounds) belong to the op's checks. Out of bounds, gathers clamp and scatters
  drop.
"""
