"""`tf.test.Benchmark`: what is measured is printed."""

import pytest

import reflow as tf


class Sums(tf.test.Benchmark):
    def benchmark_session(self):
        with tf.Graph().as_default():
            return self.run_op_benchmark(tf.compat.v1.Session(), tf.constant(1.0) + 1.0, min_iters=3, mbs=1)

    def benchmark_extras(self):
        self.report_benchmark(iters=1, extras={"rows": 3, "kind": "small"}, metrics=[{"name": "loss", "value": 0.5}])


def test_what_is_reported(capsys):
    Sums().benchmark_extras()
    assert capsys.readouterr().out == (
        'entry {\n  name: "Sums.benchmark_extras"\n  iters: 1\n  extras { key: "rows" value { double_value: 3 } }\n'
        '  extras { key: "kind" value { string_value: "small" } }\n  metrics { name: "loss" value: 0.5 }\n}\n'
    )
    found = Sums().benchmark_session()
    assert found["iters"] == 3 and found["wall_time"] > 0 and found["throughput"] > 0
    assert not Sums.is_abstract() and tf.test.Benchmark.is_abstract()
    with pytest.raises(TypeError, match="must be a number or a string"):
        Sums().report_benchmark(extras={"rows": []})
