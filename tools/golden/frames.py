"""Graphs with loops and branches of TensorFlow 1 (`Enter`, `Switch`, `Merge`…), and what a session gives for them.

`tests/golden/frames/<name>.pb.gz` is a GraphDef, `results.json` what was fetched from each: a list of runs. Variables
get their values from the operation `init`.
"""

import gzip
import json
import os

import numpy as np

from tools import golden
from tools.golden import run

GOLDEN = golden.GOLDEN / "frames"


def branches(v1):
    """Two results, a branch in a branch, a constant result, `case`."""
    p, q = [v1.placeholder_with_default(value, [], name) for value, name in ((True, "p"), (False, "q"))]
    x = v1.placeholder(v1.float32, [2], "x")
    inner = lambda: v1.cond(q, lambda: x * 3.0, lambda: v1.constant([7.0, 7.0]))  # noqa: E731
    for name, result in zip("ab", v1.cond(p, lambda: (x + 1.0, x * 2.0), lambda: (x - 1.0, inner())), strict=True):
        v1.identity(result, name)
    cases = [(v1.logical_and(p, q), lambda: v1.constant(1)), (q, lambda: v1.constant(2))]
    v1.identity(v1.case(cases, default=lambda: v1.constant(3)), "c")


def loops(v1):
    """A loop in a loop, a branch in a loop, a loop in a branch, arrays of tensors."""
    x, p = v1.placeholder(v1.float32, [2], "x"), v1.placeholder_with_default(True, [], "p")

    def outer(i, a):
        _, b = v1.while_loop(lambda j, _: j < i, lambda j, v: (j + 1, v + x), [0, a])
        return i + 1, v1.cond(p, lambda: b, lambda: -b)

    result = v1.while_loop(lambda i, a: i < 4, outer, [v1.constant(0), x])
    v1.identity(result[1], "a")
    doubled = lambda: v1.while_loop(lambda z: v1.reduce_sum(z) < 100.0, lambda z: z * 2.0, [x])  # noqa: E731
    v1.identity(v1.cond(p, doubled, lambda: x), "b")
    v1.identity(v1.scan(lambda a, b: a * 2.0 + b, v1.map_fn(lambda r: r + 1.0, x)), "c")


def effects(v1):
    """Assignments in branches, each of which happens once; an assertion."""
    p, v = v1.placeholder_with_default(True, [], "p"), v1.get_variable("v", initializer=1.0)
    v1.cond(p, lambda: v1.identity(v1.assign_add(v, 2.0)), lambda: v1.assign(v, 0.0) + 0.0, name="branch")
    v1.identity(v1.get_default_graph().get_tensor_by_name("branch/Merge:0"), "a")
    with v1.control_dependencies([v1.Assert(p, ["bad"])]):
        v1.identity(v, "b")
    v1.identity(v, "c")


def training(v1):
    """The gradient of a loop, which pops from stacks what the loop pushed; a step of training."""
    x = v1.placeholder(v1.float32, [2, 3], "x")
    w = v1.get_variable("w", initializer=np.eye(3, dtype=np.float32))
    _, h = v1.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, v1.tanh(v1.matmul(h, w))), [0, x])
    loss = v1.reduce_sum(h, name="a")
    v1.identity(v1.gradients(loss, w)[0], "b")
    with v1.control_dependencies([v1.train.GradientDescentOptimizer(0.1).minimize(loss)]):
        v1.identity(0.0, "c")


def recurrent(v1):
    """`dynamic_rnn` over sequences of different lengths, and the gradient of its inputs."""
    x = v1.placeholder(v1.float32, [2, 4, 3], "x")
    with v1.variable_scope("r", initializer=v1.constant_initializer(0.1)):
        outputs, state = v1.nn.dynamic_rnn(v1.nn.rnn_cell.LSTMCell(2), x, sequence_length=[4, 2], dtype=v1.float32)
    v1.identity(outputs, "a")
    v1.identity(state.c, "b")
    v1.identity(v1.gradients(v1.reduce_sum(outputs), x)[0], "c")


X = [1.0, 2.0]
#: name -> what builds the graph, the feeds of each run
CASES = {
    "branches": (branches, [{"x:0": X, "p:0": p, "q:0": q} for p in (True, False) for q in (True, False)]),
    "loops": (loops, [{"x:0": X}, {"x:0": X, "p:0": False}]),
    "effects": (effects, [{}, {}, {"p:0": False}, {}]),
    "training": (training, [{"x:0": [[0.0, 0.1, 0.2], [0.3, 0.4, 0.5]]}] * 2),
    "recurrent": (recurrent, [{"x:0": (np.arange(24.0).reshape(2, 4, 3) / 10).tolist()}]),
}


def fetched(v1, session, feeds) -> list:
    """Each of a, b and c, in a run of its own; the class of the error where it fails."""
    results = []
    for name in "abc":
        try:
            results.append(session.run(f"{name}:0", feeds).tolist())
        except v1.errors.InvalidArgumentError as error:
            results.append(type(error).__name__)
    return results


def record():
    """TensorFlow builds the graphs, in version 1's way, and runs them."""
    os.environ["TF_USE_LEGACY_KERAS"] = "1"  # for the cells
    import tensorflow.compat.v1 as v1

    v1.disable_v2_behavior()
    GOLDEN.mkdir(parents=True, exist_ok=True)
    results = {}
    for name, (build, runs) in CASES.items():
        with v1.Graph().as_default() as graph, v1.Session() as session:
            build(v1)
            session.run(v1.global_variables_initializer())
            proto = graph.as_graph_def()
            for node in proto.node:
                node.attr.pop("_output_shapes", None)
            (GOLDEN / f"{name}.pb.gz").write_bytes(gzip.compress(proto.SerializeToString(deterministic=True), mtime=0))
            results[name] = [fetched(v1, session, feeds) for feeds in runs]
    (GOLDEN / "results.json").write_text(json.dumps(results) + "\n")


if __name__ == "__main__":
    run(record)
