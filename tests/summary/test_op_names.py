"""The names of operations in profiles."""

import gzip
import json

import reflow as tf
from reflow.summary import op_names


def test_operations_have_the_names_of_the_users_nodes(tmp_path):
    """Two functions: XLA may give instructions of both one name."""

    @tf.function(jit_compile=True)
    def attend(q, k):
        with tf.name_scope("scores"):
            return tf.matmul(q, k, transpose_b=True)

    @tf.function(jit_compile=True)
    def mix(a, b):
        with tf.name_scope("mixture"):
            return tf.matmul(a, b)

    x = tf.ones([200, 200])
    attend(x, x), mix(x, x)
    with tf.profiler.experimental.Profile(str(tmp_path)):
        attend(x, x).numpy(), mix(x, x).numpy()
    (path,) = tmp_path.glob("plugins/profile/*/*.trace.json.gz")
    events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    assert {"scores/MatMul", "mixture/MatMul"} <= {event.get("name") for event in events}
    (path,) = tmp_path.glob("plugins/profile/*/*.xplane.pb")
    space = op_names._classes()["XSpace"].FromString(path.read_bytes())
    kinds = {(i, e.key): e.value.display_name for i, plane in enumerate(space.planes) for e in plane.event_metadata}
    shown = {
        kinds.get((i, event.metadata_id)) for i, plane in enumerate(space.planes) for line in plane.lines
        for event in line.events
    }
    assert {"scores/MatMul", "mixture/MatMul"} <= shown
