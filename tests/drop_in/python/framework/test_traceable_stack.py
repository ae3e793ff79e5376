"""Objects that know the line that pushed them."""

from reflow.drop_in.python.framework.traceable_stack import TraceableObject, TraceableStack


def test_a_stack_knows_lines():
    stack = TraceableStack()
    assert stack.push_obj("a") == TraceableObject.SUCCESS
    stack.push_obj("b")
    assert list(stack.peek_objs()) == ["b", "a"] and len(stack.copy()) == 2
    lines = [item.lineno for item in stack.peek_traceable_objs()]
    assert lines[0] == lines[1] + 1 and next(stack.peek_traceable_objs()).filename == __file__
    assert stack.pop_obj() == "b" and stack.peek_top_obj() == "a"


def test_too_many_frames():
    item = TraceableObject("a")
    assert item.set_filename_and_line_from_caller(offset=10_000) == TraceableObject.HEURISTIC_USED
    assert item.copy_metadata().obj is None and item.copy_metadata().lineno == item.lineno
