"""Where the nodes in an error message were made."""

import types

import reflow as tf
from reflow.drop_in.python.framework.inspection import error_interpolation as e


def test_tags_of_a_message():
    text, functions, nodes = e.parse_message("123{{node Foo}}456{{function_node Bar}}789")
    assert text == "123{{node Foo}}456789"
    assert functions == [("function_node", "Bar")] and nodes == [("node", "Foo")]


def test_a_message_with_the_lines_of_its_nodes():
    with tf.Graph().as_default() as graph:
        tf.constant(1, name="two")
    lines = e.interpolate_graph("{{node two}} is bad, {{node gone}} is not there", graph).splitlines()
    assert lines[:3] == [
        "Graph execution error:", "", "Detected at node 'two' defined at (most recent call last):",
    ]
    assert lines[3].startswith("    File ") and 'tf.constant(1, name="two")' in lines[4]
    assert lines[-2:] == ["Node: 'two'", "{{node two}} is bad, {{node gone}} is not there"]


def test_summaries_of_devices_and_colocations():
    at = types.SimpleNamespace(obj="/cpu:0", filename="hope.py", lineno=24)
    assert e._compute_device_summary_from_list("n", [at], prefix="  ").splitlines() == [
        "  Device assignments active during op 'n' creation:", "    with tf.device(/cpu:0): <hope.py:24>",
    ]
    assert e._compute_device_summary_from_list("n", []) == "No device assignments were active during op 'n' creation."
    assert e._compute_colocation_summary_from_dict("n", {"m": at}).splitlines() == [
        "Node-device colocations active during op 'n' creation:", "  with tf.colocate_with(m): <hope.py:24>",
    ]


def test_frames_end_inside_the_library():
    frames = [types.SimpleNamespace(filename=name) for name in ("a.py", "b.py", tf.__file__, tf.__file__, tf.__file__)]
    assert e._find_index_of_defining_frame(frames) == 1
    assert e._compute_useful_frames(frames, 3) == frames[1:4]


def test_a_message_of_places():
    with tf.Graph().as_default():
        info = e.create_graph_debug_info_def([("f", tf.constant(1, name="a").op)])
    assert list(info.traces) == ["a@f"] and info.files == [__file__]
