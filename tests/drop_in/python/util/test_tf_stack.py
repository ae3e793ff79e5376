"""Stack traces as values."""

import traceback

import pytest

from reflow.drop_in.python.util import tf_stack


def here(level=1):
    return tf_stack.extract_stack(level)


def test_a_trace_is_a_sequence_of_frames():
    trace = here()
    assert [frame.name for frame in trace][-2:] == ["test_a_trace_is_a_sequence_of_frames", "here"]
    last = trace[-1]
    assert last.filename == __file__ and last.line == "return tf_stack.extract_stack(level)"
    assert str(last) == f'File "{__file__}", line {last.lineno}, in here' and str(trace).endswith(str(last))
    assert here(2)[-1].name == "test_a_trace_is_a_sequence_of_frames"
    assert trace == trace[:] and hash(trace) == hash(trace[:]) and trace != here()
    assert trace.last_user_frame() == last and last in trace.get_user_frames()


def test_filters_hide_files():
    with tf_stack.CurrentModuleFilter():
        assert all(frame.filename != __file__ for frame in here())
        with tf_stack.SentinelFilter():
            assert here()[-1].name == "here"
    assert here()[-1].filename == __file__


def test_mappers_rename_frames():
    line = here()[-1].lineno

    class Mapper(tf_stack.StackTraceMapper):
        def get_effective_source_map(self):
            return {(__file__, line): ("source.py", 17, "written")}

    with Mapper():
        assert tuple(here()[-1]) == ("source.py", 17, "written", "")
        with tf_stack.SentinelMapper():
            assert here()[-1].name == "here"
    with pytest.raises(NotImplementedError, match="subclasses need to override this"):
        tf_stack.StackTraceMapper().get_effective_source_map()
    with pytest.raises(NotImplementedError):
        tf_stack.StackTraceFilter().get_filtered_filenames()


def test_traces_in_a_message():
    builder, (first, second) = tf_stack.GraphDebugInfoBuilder(), (here(), here())
    builder.AccumulateStackTrace("f", "node1", first)
    builder.AccumulateStackTrace("f", "node2", second)
    info = builder.Build()
    assert dict(info.name_to_trace_id) == {"node1@f": 0, "node2@f": 0} and __file__ in info.files
    assert tf_stack.LoadTracesFromDebugInfo(info) == {"node1@f": first, "node2@f": second}
    outer = tf_stack.GraphDebugInfoBuilder()
    outer.AppendGraphDebugInfo("outer", info)
    outer.AppendGraphDebugInfo("", info)
    names = ["node1@f", "node1@f@outer", "node2@f", "node2@f@outer"]
    assert sorted(tf_stack.LoadTracesFromDebugInfo(outer.Build())) == names


def test_tables_of_sources():
    sources, files = tf_stack._tf_stack.PyBindSourceMap(), tf_stack._tf_stack.PyBindFileSet()

    def innermost():
        return tf_stack._tf_stack.extract_stack(sources, files)[-1]

    known = innermost()
    assert traceback.format_list([known])[0].startswith(f'  File "{__file__}", line {known.lineno}, in innermost')
    sources.update_to((((known.filename, known.lineno), ("filename", 42, "function_name")),))
    assert str(innermost()) == 'File "filename", line 42, in function_name'
    files.update_to([__file__])
    assert innermost().filename != __file__
