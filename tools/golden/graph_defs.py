"""GraphDefs, both ways: what Reflow writes runs in real TensorFlow, what TensorFlow writes runs in Reflow.

`tests/golden/graph_defs/tensorflow/` is TensorFlow's, `…/reflow/` is Reflow's and was run by TensorFlow (`check`).
One file per program of `tests/graph/graph_def_programs.py`; `expected.json` holds the names of inputs and outputs and
the numbers that the writer itself got. The tests use `export` and `run`.
"""

from __future__ import annotations

import json
import pathlib

import numpy as np

from tools import golden

GOLDEN = golden.GOLDEN / "graph_defs"
TOLERANCE = 1e-5


def programs():
    from tests.graph.graph_def_programs import PROGRAMS

    return PROGRAMS


def flat(structure) -> list:
    return [structure] if not isinstance(structure, (list, tuple)) else [x for part in structure for x in flat(part)]


def plain(tensor):
    """A tensor as JSON."""
    return np.asarray(tensor).astype(str if tensor.dtype.name == "string" else tensor.dtype.name).tolist()


def export(tf, name: str):
    """A program's GraphDef, what belongs to it, and the numbers it gives."""
    function, arrays = programs()[name]
    tensors = [tf.constant(a) for a in arrays]

    @tf.function
    def traced(*args):
        return flat(function(tf, *args))

    concrete = traced.get_concrete_function(*[tf.TensorSpec([None] * t.shape.rank, t.dtype) for t in tensors])
    about = {
        "inputs": [t.name for t in concrete.inputs],
        "outputs": [t.name for t in concrete.outputs],
        "values": [plain(t) for t in concrete(*tensors)],
    }
    return concrete.graph.as_graph_def(), about


def run(tf, graph_def, about, name: str) -> list:
    """The numbers that a GraphDef gives in this library."""
    tensors = [tf.constant(a) for a in programs()[name][1]]

    @tf.function(autograph=False)
    def imported(*args):
        inputs = dict(zip(about["inputs"], args, strict=True))
        return tf.graph_util.import_graph_def(graph_def, input_map=inputs, return_elements=about["outputs"])

    return [plain(t) for t in imported(*tensors)]


def run_in_session(tf, graph_def, about, name: str) -> list:
    """The same in real TensorFlow, whose functions cannot import a GraphDef with a library."""
    feeds = dict(zip(about["inputs"], programs()[name][1], strict=True))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        outputs = tf.graph_util.import_graph_def(graph_def, return_elements=about["outputs"], name="")
        return [
            np.asarray(v).astype(str if v.dtype == object else v.dtype).tolist() for v in session.run(outputs, feeds)
        ]


def differences(got, expected) -> list:
    """The largest difference of each output; 0 or 1 for strings."""
    out = []
    for a, b in zip(got, expected, strict=True):
        a, b = np.array(a), np.array(b)
        out.append(float(np.any(a != b)) if a.dtype.kind == "U" else float(np.abs(a.astype(float) - b).max(initial=0)))
    return out


def write(tf, folder: pathlib.Path):
    folder.mkdir(parents=True, exist_ok=True)
    expected = {}
    for name in programs():
        proto, expected[name] = export(tf, name)
        (folder / f"{name}.pb").write_bytes(proto.SerializeToString(deterministic=True))
    (folder / "expected.json").write_text(json.dumps(expected, indent=1, sort_keys=True) + "\n")
    print(f"{len(expected)} GraphDefs in {folder}")


def read(tf, folder: pathlib.Path, name: str):
    return tf.compat.v1.GraphDef.FromString((folder / f"{name}.pb").read_bytes())


def check(folder: pathlib.Path) -> bool:
    """Whether TensorFlow gets the same numbers from what Reflow wrote."""
    import tensorflow as tf

    expected = json.loads((folder / "expected.json").read_text())
    bad = False
    for name in programs():
        try:
            got = run_in_session(tf, read(tf, folder, name), expected[name], name)
            worst = max(differences(got, expected[name]["values"]))
        except Exception as error:  # all that go wrong are listed
            print(f"{name}: {type(error).__name__}: {str(error)[-600:]}")
            bad = True
            continue
        print(f"{name}: {worst:.1e}")
        bad |= worst > TOLERANCE
    return not bad


def record():
    """TensorFlow writes its files."""
    import tensorflow as tf

    write(tf, GOLDEN / "tensorflow")


def write_with_reflow(folder: pathlib.Path):
    import reflow as tf

    write(tf, folder)


if __name__ == "__main__":
    golden.run(record, write_with_reflow, check)
