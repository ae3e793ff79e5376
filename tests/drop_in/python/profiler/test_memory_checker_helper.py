"""The mark of a memory checker's own allocations."""

from reflow.drop_in.python.profiler.memory_checker_helper import mark_stack_trace_and_call


def test_the_function_is_called():
    called: list = []
    mark_stack_trace_and_call(lambda: called.append(1))
    assert called == [1]
