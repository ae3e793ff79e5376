"""Reflow prints what TensorFlow 2.21 prints, for every entry of `expressions/*.txt`."""

from pathlib import Path

from tests.expressions import entries, is_pending, session, session_files

test_expressions = session(
    __file__, *sorted(f"expressions/{path.name}" for path in (Path(__file__).parent / "expressions").glob("*.txt"))
)


def test_every_result_is_recorded():
    """An entry whose result is missing would compare nothing."""
    silent = [source for path in session_files() for _, source, result in entries(path) if not result]
    assert not silent


#: entries in which Reflow differs from TensorFlow; this number may only fall
MOST_PENDING = 72


def test_fewer_and_fewer_are_pending():
    pending = [source for path in session_files() for _, source, _ in entries(path) if is_pending(source)]
    assert len(pending) <= MOST_PENDING
