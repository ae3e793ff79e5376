"""Ops that print, refuse or end the process (`reflow/ops/kernels/control/debugging.py`)."""

import subprocess
import sys

import pytest

import reflow as tf


def test_print_of_version_1_stops_after_so_many_times(capfd):
    function = tf.function(
        lambda x: tf.raw_ops.Print(input=x, data=[x, 2 * x], message="seen: ", first_n=2, summarize=2)
    )
    for _ in range(4):
        function(tf.constant([1, 2, 3]))
    assert capfd.readouterr().err == "seen: [1 2...][2 4...]\n" * 2


def test_pinned_memory_needs_cuda():
    with pytest.raises(tf.errors.FailedPreconditionError, match="must be built with `--config=cuda`"):
        tf.check_pinned(tf.constant([1.0]))


@pytest.mark.parametrize("without_error", [True, False])
def test_abort_ends_the_process(without_error):
    program = (
        f"import reflow as tf; tf.raw_ops.Abort(error_msg='why', exit_without_error={without_error}); print('alive')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode == 0) is without_error and "alive" not in done.stdout
    assert ("why" in done.stderr) is not without_error
