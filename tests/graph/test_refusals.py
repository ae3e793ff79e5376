"""A graph from a file may not bring ops that touch files, the network, processes or Python (row 5 of the bad
inputs)."""

import pytest
from tensorboard.compat.proto import function_pb2, graph_pb2

import reflow as tf
from reflow.core import errors
from reflow.graph.import_ import Library
from reflow.graph.refusals import VARIABLE, touches
from reflow.ops import opdef, registry

TOUCHING = sorted(name for name, record in registry.REGISTRY.items() if record.touches and not callable(record.touches))


def graph_def(op: str, **attrs):
    proto = graph_pb2.GraphDef()
    node = proto.node.add(name="x", op=op)
    for name, value in attrs.items():
        node.attr[name].s = value
    return proto


def function(name: str, *nodes):
    proto = function_pb2.FunctionDef()
    proto.signature.name = name
    for label, op, callee in nodes:
        node = proto.node_def.add(name=label, op=op)
        if callee:
            node.attr["f"].func.name = callee
    return proto


@pytest.mark.parametrize("op", [op for op in TOUCHING if not op.startswith("Reflow>")])
def test_ops_that_touch_the_world_are_refused(op):
    with pytest.raises(errors.PermissionDeniedError, match=f"'{op}' \\(x\\) touches"):
        tf.import_graph_def(graph_def(op))


@pytest.mark.parametrize("op", [
    "ReadFile", "WriteFile", "MatchingFiles", "TFRecordDatasetV2", "TextLineDataset", "PyFunc", "EagerPyFunc",
    "PyFuncStateless", "InitializeTableFromTextFileV2", "WriteSummary", "CacheDatasetV2",
])
def test_the_records_say_so(op):
    assert op in TOUCHING


@pytest.mark.parametrize("op", [
    "SaveV2", "RestoreV2", "MergeV2Checkpoints", "CreateSummaryFileWriter", "WriteScalarSummary",
    "DataServiceDatasetV4", "ImmutableConst", "SqlDataset", "SnapshotDatasetV2",
])
def test_ops_without_a_kernel_are_refused_too(op):
    opdef.lookup(op)
    with pytest.raises((errors.PermissionDeniedError, errors.NotFoundError), match=f"'{op}' \\(x\\)"):
        tf.import_graph_def(graph_def(op))


@pytest.mark.parametrize("op, attr, harmless, harmful", [
    ("PrintV2", "output_stream", [b"stderr", b"stdout", b"log(info)"], [b"file:///tmp/x", b"file:x", b"\xff"]),
    ("FixedUnigramCandidateSampler", "vocab_file", [b""], [b"/etc/passwd", b"\xff"]),
])
def test_attributes_decide(op, attr, harmless, harmful):
    record = registry.REGISTRY[op]
    assert not touches(record, graph_def(op).node[0])
    for value in harmless:
        assert not touches(record, graph_def(op, **{attr: value}).node[0])
    for value in harmful:
        assert touches(record, graph_def(op, **{attr: value}).node[0]) == ("files",)
        with pytest.raises(errors.PermissionDeniedError, match=f"'{op}' \\(x\\) touches files"):
            tf.import_graph_def(graph_def(op, **{attr: value}))


@pytest.mark.parametrize("op", ["DebugIdentity", "DebugIdentityV3"])
def test_a_watch_that_writes_is_refused(op):
    proto = graph_def(op)
    proto.node[0].attr["debug_urls"].list.s.append(b"file:///tmp/x")
    with pytest.raises(errors.PermissionDeniedError, match=f"'{op}' \\(x\\) touches files"):
        tf.import_graph_def(proto)


def test_one_error_lists_all_and_says_how_to_allow_them():
    proto = graph_def("ReadFile")
    proto.node.add(name="y", op="WriteFile")
    proto.node.add(name="z", op="EagerPyFunc")
    with pytest.raises(errors.PermissionDeniedError) as caught:
        tf.import_graph_def(proto)
    text = str(caught.value)
    assert (
        "'ReadFile' (x) touches files, 'WriteFile' (y) touches files" in text
        and "'EagerPyFunc' (z) touches python" in text
    )
    assert "experimental_allow_unsafe_ops=['EagerPyFunc', 'ReadFile', 'WriteFile']" in text
    assert f"{VARIABLE}=EagerPyFunc,ReadFile,WriteFile" in text


def test_refused_inside_functions():
    outer, inner = function("f", ("c", "PartitionedCall", "g")), function("g", ("n", "WriteFile", None))
    with pytest.raises(errors.PermissionDeniedError, match=r"'WriteFile' \(g/n\)"):
        Library([outer, inner]).load(["f"])
    unknown = next(
        name for name in ("FIFOQueueV2", "Stage", "LMDBReader", "TPUCompile") if name not in registry.REGISTRY
    )
    inner.node_def[0].op = unknown
    with pytest.raises(errors.NotFoundError, match=f"no kernel for yet: '{unknown}'"):
        Library([outer, inner], allow_unsafe=True).load(["f"])


def saved_graph(tmp_path):
    with tf.Graph().as_default() as graph:
        tf.io.read_file(tf.constant(str(tmp_path / "a.txt")), name="read")
    return graph.as_graph_def()


@pytest.mark.parametrize("allow", [True, ["ReadFile"], "ReadFile"])
def test_allowed_by_an_option(tmp_path, allow):
    (tmp_path / "a.txt").write_text("text")
    proto = saved_graph(tmp_path)
    with pytest.raises(errors.PermissionDeniedError):
        tf.import_graph_def(proto, experimental_allow_unsafe_ops=["WriteFile"])
    with tf.Graph().as_default() as graph, tf.compat.v1.Session(graph=graph) as session:
        (read,) = tf.import_graph_def(proto, return_elements=["read:0"], experimental_allow_unsafe_ops=allow)
        assert session.run(read) == b"text"


@pytest.mark.parametrize("value", ["1", "ReadFile", "WriteFile,ReadFile"])
def test_allowed_by_the_environment(tmp_path, monkeypatch, value):
    proto = saved_graph(tmp_path)
    monkeypatch.setenv(VARIABLE, "WriteFile")
    with pytest.raises(errors.PermissionDeniedError):
        tf.import_graph_def(proto)
    monkeypatch.setenv(VARIABLE, value)
    with tf.Graph().as_default():
        tf.import_graph_def(proto)
