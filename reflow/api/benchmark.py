"""`tf.test.Benchmark`: classes whose methods `benchmark…` are timed."""

from __future__ import annotations

import inspect
import os
import re
import sys
import time

import numpy as np

from reflow.api.export import export


@export("test.Benchmark")
class Benchmark:
    """A class of benchmarks. A method reports what it measured by `report_benchmark`; `tf.test.main` runs those that
    the option `--benchmarks=REGEX` selects.

    >>> class Sums(tf.test.Benchmark):
    ...     def benchmark_sum(self):
    ...         self.report_benchmark(iters=10, wall_time=0.5, name="sum")
    >>> Sums().benchmark_sum()
    entry {
      name: "sum"
      iters: 10
      wall_time: 0.5
    }
    """

    def _get_name(self, overwrite_name=None) -> str:
        """`Class.method` of the benchmark that runs, or another name."""
        frames = (frame.function for frame in inspect.stack())
        method = next((name for name in frames if name.startswith("benchmark")), "unknown")
        return overwrite_name or f"{type(self).__name__}.{method}"

    def report_benchmark(
        self, iters=None, cpu_time=None, wall_time=None, throughput=None, extras=None, name=None, metrics=None
    ):
        """Print what was measured as a text proto; `extras` are further numbers or texts by name.

        Raises:
            TypeError: an extra is neither a number nor a text.
        """
        lines = ["entry {", f'  name: "{self._get_name(name)}"']
        given = {"iters": iters, "cpu_time": cpu_time, "wall_time": wall_time, "throughput": throughput}
        lines += [f"  {key}: {value}" for key, value in given.items() if value is not None]
        for key, value in (extras or {}).items():
            if not isinstance(value, (int, float, str, np.number)):
                raise TypeError(f"Benchmark extra {key!r} must be a number or a string, got {value!r}.")
            field = f'string_value: "{value}"' if isinstance(value, str) else f"double_value: {value}"
            lines.append(f'  extras {{ key: "{key}" value {{ {field} }} }}')
        for metric in metrics or ():
            lines.append(f'  metrics {{ name: "{metric["name"]}" value: {metric["value"]} }}')
        print("\n".join([*lines, "}"]))

    def evaluate(self, tensors):
        """The values of tensors as arrays."""
        from reflow.core import nest

        return nest.map_structure(lambda t: t.numpy(), tensors)

    def run_op_benchmark(
        self, sess, op_or_tensor, feed_dict=None, burn_iters=2, min_iters=10, store_trace=False,
        store_memory_usage=True, name=None, extras=None, mbs=0,
    ):
        """Run an op in a session again and again, and report the median time.

        Returns:
            A dictionary with `iters`, `wall_time`, `extras`, `name` and `throughput`.
        """
        if store_trace:
            raise ValueError("run_op_benchmark: store_trace is not supported; use tf.profiler.")
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict)
        times = []
        for _ in range(min_iters):
            begin = time.perf_counter()
            sess.run(op_or_tensor, feed_dict)
            times.append(time.perf_counter() - begin)
        median = float(np.median(times))
        found = {
            "iters": min_iters,
            "wall_time": median,
            "extras": {**(extras or {}), "wall_time_stdev": float(np.std(times))},
            "name": self._get_name(name),
            "throughput": mbs / median if mbs else None,
        }
        self.report_benchmark(**found)
        return found

    @classmethod
    def is_abstract(cls) -> bool:
        """Whether this class has no benchmarks of its own."""
        return not any(name.startswith("benchmark") for name in dir(cls))


def run_benchmarks(pattern: str) -> int:
    """Run the main module's benchmarks that a regular expression selects ("all" selects each); returns how many."""
    count = 0
    for kind in list(vars(sys.modules["__main__"]).values()):
        if not (inspect.isclass(kind) and issubclass(kind, Benchmark)):
            continue
        for method in sorted(name for name in dir(kind) if name.startswith("benchmark")):
            if pattern == "all" or re.search(pattern, f"{kind.__name__}.{method}"):
                getattr(kind(), method)()
                count += 1
    return count


@export("test.benchmark_config")
def benchmark_config():
    """Returns the configuration of a session for benchmarks, whose graph optimizer does not look for duplicates.

    Returns:
      A `ConfigProto`.

    >>> tf.test.benchmark_config().graph_options.rewrite_options.dependency_optimization
    2
    """
    from tensorboard.compat.proto import config_pb2, rewriter_config_pb2

    config = config_pb2.ConfigProto()
    config.graph_options.rewrite_options.dependency_optimization = rewriter_config_pb2.RewriterConfig.OFF
    return config


@export("compat.v1.test.test_src_dir_path")
def test_src_dir_path(relative_path: str) -> str:
    """The path of a test's data file, below the folder that `TEST_SRCDIR` names.

    >>> tf.compat.v1.test.test_src_dir_path("data/x.txt").endswith("tensorflow/data/x.txt")
    True
    """
    return os.path.join(
        os.environ.get("TEST_SRCDIR", ""), os.environ.get("TEST_WORKSPACE", ""), "tensorflow", relative_path
    )
