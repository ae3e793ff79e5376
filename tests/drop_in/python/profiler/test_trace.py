"""Functions whose calls a profile shows."""

import jax
import pytest

from reflow.drop_in.python.profiler import trace


@pytest.fixture
def spans(monkeypatch):
    """The names and metadata of the spans that were entered."""
    entered: list = []

    class Span:
        def __init__(self, name, **metadata):
            self.what = (name, metadata)

        def __enter__(self):
            entered.append(self.what)

        def __exit__(self, *failure):
            entered.append(failure[0])

    monkeypatch.setattr(jax.profiler, "TraceAnnotation", Span)
    return entered


def test_calls_are_shown_under_a_name(spans):
    @trace.trace_wrapper("train", kind="step")
    def double(x):
        """Twice x."""
        return 2 * x

    assert double(3) == 6 and double.__doc__ == "Twice x."
    assert spans == [("train", {"kind": "step"}), None]


def test_the_name_is_the_functions(spans):
    @trace.trace_wrapper
    def fail():
        raise KeyError(1)

    with pytest.raises(KeyError):
        fail()
    assert spans == [("fail", {}), KeyError]
