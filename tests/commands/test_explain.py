"""`reflow explain`: the report names the line and the remedy, and the program's exit status stays its own."""

import pytest

from reflow.commands import explain
from reflow.commands.watch import Watch
from tests import ROOT
from tests.drop_in.processes import python

PROGRAMS = ROOT / "tests" / "commands" / "programs"
#: program -> its exit status, and parts of the report in any order: (line, what is said of it, remedy)
SAID = {
    "retraces.py": (
        0,
        (
            "retraces.py:10: power(tf.constant(2.0), n)", "its argument `n` was 1, 2, 3, 4",
            "Pass `n` as a tensor: `power(…, tf.constant(n))`",
        ),
        (
            "retraces.py:12: power(tf.ones([n]), tf.constant(2.0))", "its argument `x` was float32[0], float32[1]",
            "reduce_retracing=True",
        ),
        (
            "retraces.py:14: tf.function(lambda x: x + 1.0)(tf.constant(1.0))", "each time the function was a new one",
            "outside the loop",
        ),
    ),
    "host_op.py": (
        3,
        (
            "host_op.py:9: ordered = tf.numpy_function(", "in `step` ran on the host 20 times",
            "Write it with TensorFlow's ops",
        ),
    ),
    "starving.py": (
        0,
        (
            "starving.py:13: for batch in slow.batch(10):", "The slowest stage is Map",
            "num_parallel_calls=tf.data.AUTOTUNE",
        ),
        ("starving.py:12: slow = numbers.map(", "for 3 elements of its input", "`.prefetch(tf.data.AUTOTUNE)`"),
    ),
}


@pytest.mark.parametrize("name", SAID)
def test_the_report_names_line_and_remedy(name):
    status, *parts = SAID[name]
    done = python("-m", "reflow", "explain", name, cwd=PROGRAMS)
    assert done.returncode == status, done.stderr
    assert [text for part in parts for text in part if text not in done.stdout] == [], done.stdout


def test_a_program_without_problems(tmp_path):
    done = python(
        "-m", "reflow", "explain", "--output", tmp_path / "report.txt", "-c", "import sys; print(sys.argv[1:])", "-x",
        "1",
    )
    assert done.stdout == "['-x', '1']\n" and done.returncode == 0
    report = (tmp_path / "report.txt").read_text()
    assert "reflow explain: -c ran for" in report and "Nothing to mend" in report


def test_numbers_and_nouns():
    with Watch() as watch:
        pass
    text = explain.report(watch, "nothing.py")
    assert "tracing: 0 traces of 0 functions" in text and "waiting for input: 0 elements" in text
