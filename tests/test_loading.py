"""`import reflow` loads little; what is left out is there when it is asked for."""

import subprocess
import sys
import textwrap

import pytest

from reflow import loading
from reflow.ops.registry import REGISTRY

HEAVY = {
    "PIL", "concurrent.futures", "html", "google.protobuf", "h5py", "importlib.metadata", "jax", "keras", "malt",
    "scipy", "tensorboard", "unittest",
}  # fmt: skip
ROOMS = ("compat", "io", "lookup", "saved_model", "summary", "train", "distribute")


def run(folder, program: str) -> str:
    """What a program prints, in a new process. AutoGraph reads it from a file."""
    (folder / "program.py").write_text(textwrap.dedent(program))
    done = subprocess.run([sys.executable, folder / "program.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_reflow_imports_little(tmp_path):
    loaded = set(run(tmp_path, "import sys; import reflow; print(*sys.modules)").split())
    assert not loaded & HEAVY
    assert not loaded & {f"reflow.{room}" for room in ROOMS}


def test_importing_keras_does_not_import_jax(tmp_path):
    """Keras imports `tf.experimental.dtensor` and touches `tf.__internal__`.

    What stands there is loaded when it is used.
    """
    loaded = set(run(tmp_path, "import sys; import reflow as tf; tf.keras.layers.Dense; print(*sys.modules)").split())
    assert "keras" in loaded and "reflow.public.experimental.dtensor" in loaded
    assert not loaded & {"jaxlib", "malt", "scipy", "reflow.distribute.parameter_server"}


def test_a_model_does_not_import_grpc(tmp_path):
    """A trainer asks `tf.distribute`, some of whose classes talk over gRPC, for the strategy."""
    program = "import sys; import reflow as tf; tf.keras.Sequential([tf.keras.layers.Dense(1)]); print(*sys.modules)"
    loaded = set(run(tmp_path, program).split())
    assert "reflow.public.distribute" in loaded and "grpc" not in loaded


PROGRAMS = {
    "an op by name": """
        import reflow as tf
        print(tf.raw_ops.StringUpper(input="a").numpy())
    """,
    "an op in a file": """
        import reflow as tf
        from google.protobuf import text_format
        from tensorboard.compat.proto.graph_pb2 import GraphDef
        graph = text_format.Parse('node { name: "x" op: "Const" attr { key: "dtype" value { type: DT_STRING } } '
            'attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape {} string_val: "a" } } } } '
            'node { name: "y" op: "StringUpper" input: "x" }', GraphDef())
        @tf.function
        def f():
            return tf.import_graph_def(graph, return_elements=["y:0"])[0]
        print(f().numpy())
    """,
    "a variable in a plain graph": """
        import reflow as tf
        with tf.Graph().as_default():
            print(type(tf.Variable(1.0)).__name__ != "Variable" and b"A")
    """,
    "a dictionary in a module": """
        import reflow as tf
        module = tf.Module()
        module.parts = {"a": tf.Variable("A")}
        print(module.variables[0].numpy())
    """,
    "a method of a ragged tensor": """
        import reflow as tf
        print(tf.RaggedTensor.from_row_splits([b"A"], [0, 1])[0, 0].numpy())
    """,
    "a loop over a dataset in a function": """
        import reflow as tf
        @tf.function
        def f(dataset):
            last = tf.constant("")
            for x in dataset:
                last = x
            return last
        print(f(tf.data.Dataset.from_tensors("A")).numpy())
    """,
    "a namespace that Keras has imported": """
        import reflow as tf
        tf.keras.layers.Dense
        mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
        print(tf.__internal__.distribute.interim.maybe_merge_call and "Mesh" in dir(tf.experimental.dtensor) and b"A")
    """,
    "the settings of devices, after namespaces were loaded": """
        import reflow as tf
        tf.nn, tf.image, tf.data.Dataset, tf.compat.v1, tf.__internal__, tf.test
        cpu = tf.config.list_physical_devices("CPU")[0]
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
        print(len(tf.config.list_logical_devices("CPU")) == 2 and b"A")
    """,
}


@pytest.mark.parametrize("what", PROGRAMS)
def test_what_is_left_out_is_there_when_asked_for(tmp_path, what):
    assert run(tmp_path, PROGRAMS[what]).strip() == "b'A'"


def test_all_ops_are_loaded_once():
    before = len(REGISTRY)
    loading.all_ops()
    assert len(REGISTRY) == before > 600
