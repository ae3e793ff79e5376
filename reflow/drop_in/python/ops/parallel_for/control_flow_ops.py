"""`tensorflow.python.ops.parallel_for.control_flow_ops`: a function for each of a range of numbers."""

import inspect

from reflow.api.array.arrange import get_static_value
from reflow.api.array.creation import range as range_
from reflow.api.array.creation import zeros
from reflow.api.control.functional import map_fn
from reflow.api.control.vectorized import mapped
from reflow.api.math.reduce import reduce_mean, reduce_sum
from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.specs import TensorSpec
from reflow.function.tracing import trace_to_graph
from reflow.function.vectorize import Reduction
from reflow.ops.convert import convert_to_tensor


class PForConfig:
    """What a function of `pfor` with an argument `pfor_config` gets: values that are computed from all iterations."""

    def __init__(self):
        self.reductions = []

    def reduce(self, fn, *args):
        """`fn` of each argument's values in all iterations, stacked; the result is the same in every iteration."""
        graph, inputs = state.graph, [convert_to_tensor(x) for x in nest.flatten(args)]

        def of_all(*rows):
            return fn(*nest.pack_sequence_as(args, rows))

        specs = tuple(TensorSpec([None, *t.shape] if t.shape.rank is not None else None, t.dtype) for t in inputs)
        once = trace_to_graph(of_all, "reduce", specs)
        outputs = [graph.placeholder(t.dtype, t.shape._dims, "reduced") for t in once.outputs]
        self.reductions.append(Reduction(of_all, inputs, outputs))
        return nest.pack_sequence_as(once.structured_outputs, outputs)

    def reduce_concat(self, x):
        """The values of all iterations, stacked."""
        return self.reduce(lambda rows: rows, x)

    def reduce_mean(self, x):
        """The mean over all iterations."""
        return self.reduce(lambda rows: reduce_mean(rows, axis=0), x)

    def reduce_sum(self, x):
        """The sum over all iterations."""
        return self.reduce(lambda rows: reduce_sum(rows, axis=0), x)


def pfor(loop_fn, iters, fallback_to_while_loop=True, parallel_iterations=None, warn=False):
    """The results of `loop_fn(0)` to `loop_fn(iters - 1)`, stacked.

    All of them computed at once, whatever `parallel_iterations` says.
    """
    if parallel_iterations is not None and parallel_iterations < 1:
        raise ValueError(
            f"Argument `parallel_iterations` must be None or a positive integer. Received: {parallel_iterations}."
        )
    if parallel_iterations == 1:
        raise ValueError("Found `parallel_iterations == 1`. Use `for_loop` instead.")
    config = PForConfig()
    given = {"pfor_config": config} if "pfor_config" in inspect.signature(loop_fn).parameters else {}

    def row(i):
        found = loop_fn(i, **given)
        if config.reductions and parallel_iterations is not None:
            raise ValueError(
                "Setting `parallel_iterations` currently unsupported if reductions across iterations are performed."
            )
        return found

    return mapped(row, range_(iters), fallback_to_while_loop, warn, config.reductions)


def for_loop(loop_fn, loop_fn_dtypes, iters, parallel_iterations=None):
    """The results of `loop_fn(0)` to `loop_fn(iters - 1)`, stacked; one after the other."""
    if parallel_iterations is not None and parallel_iterations < 1:
        raise TypeError(f"`parallel_iterations` must be a positive integer. Received: {parallel_iterations}.")
    if get_static_value(iters) == 0:  # no result has a shape: that of one which is only traced
        once = trace_to_graph(loop_fn, "loop_body", (TensorSpec([], dtypes.int32),)).outputs
        if all(t.shape.rank is not None for t in once):
            return nest.pack_sequence_as(
                loop_fn_dtypes, [zeros([0, *(size or 0 for size in t.shape)], t.dtype) for t in once]
            )
    return map_fn(loop_fn, range_(iters), fn_output_signature=loop_fn_dtypes, parallel_iterations=parallel_iterations)
