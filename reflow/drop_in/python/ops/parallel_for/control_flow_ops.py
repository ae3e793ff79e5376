"""`tensorflow.python.ops.parallel_for.control_flow_ops`: a function for each of a range of numbers."""

from reflow.api.array.creation import range as range_
from reflow.api.control.functional import map_fn
from reflow.api.control.vectorized import vectorized_map


def pfor(loop_fn, iters, fallback_to_while_loop=True, parallel_iterations=None, warn=False):
    """The results of `loop_fn(0)` to `loop_fn(iters - 1)`, stacked; all of them computed at once, whatever `parallel_iterations` says."""
    if parallel_iterations is not None and parallel_iterations < 1:
        raise ValueError(f"Argument `parallel_iterations` must be None or a positive integer. Received: {parallel_iterations}.")
    if parallel_iterations == 1:
        raise ValueError("Found `parallel_iterations == 1`. Use `for_loop` instead.")
    return vectorized_map(loop_fn, range_(iters), fallback_to_while_loop=fallback_to_while_loop, warn=warn)


def for_loop(loop_fn, loop_fn_dtypes, iters, parallel_iterations=None):
    """The results of `loop_fn(0)` to `loop_fn(iters - 1)`, stacked; one after the other."""
    return map_fn(loop_fn, range_(iters), fn_output_signature=loop_fn_dtypes, parallel_iterations=parallel_iterations)
