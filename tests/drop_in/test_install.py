"""The drop-in: the table of names resolves, `import tensorflow` finds Reflow, `python -m reflow` behaves as `python`.

Whatever touches `sys.meta_path` or `__main__` runs in a process of its own.
"""

import textwrap
import zipfile

import pytest

from tests.drop_in.processes import check, python


@pytest.mark.parametrize("statement", [
    "from tensorflow.python.framework import ops, dtypes, tensor_shape, smart_cond, constant_op, errors_impl",
    "from tensorflow.python.framework.ops import EagerTensor, convert_to_tensor",
    "from tensorflow.python.framework.dtypes import float32, DType",
    "from tensorflow.python.eager import context, backprop, def_function",
    "from tensorflow.python.client import device_lib",
    "from tensorflow.python.ops import math_ops, array_ops, nn_ops, control_flow_ops, gen_math_ops, gen_nn_ops",
    "from tensorflow.python.platform import tf_logging as logging, gfile",
    "from tensorflow.python.trackable.data_structures import NoDependency, ListWrapper",
    "from tensorflow.python.training.checkpoint_utils import load_checkpoint, list_variables",
    "from tensorflow.python.util import nest, deprecation, tf_inspect, tf_contextlib, tf_decorator, object_identity",
    "from tensorflow.python.util.tf_export import keras_export, tf_export",
    (
        "from tensorflow.core.framework import graph_pb2, tensor_pb2, types_pb2; from "
        "tensorflow.core.util import event_pb2"
    ),
    (
        "from tensorflow.python.autograph.pyct import anno; from tensorflow.python.autograph.operators import logical; "
        "assert logical.not_([])"
    ),
    "from tensorflow.python.util import lock_util, function_utils; from tensorflow.python.lib.io.file_io import FileIO",
    "from tensorflow.python.keras import backend as K; from tensorflow.python.keras.layers.core import Dense",
    (
        "from tensorflow.python.keras.engine.training import Model; from tensorflow.python.keras.utils.np_utils import "
        "to_categorical"
    ),
    "import tensorflow.compat.v1 as tf1; tf1.nn.relu; tf1.matmul; tf1.logging.info",
    (
        "import tensorflow.compat.v1 as tf1; from tensorflow.compat.v1 import keras; assert "
        "tf1.keras.layers.Dense is keras.layers.Dense"
    ),
    (
        "from tensorflow._api.v2 import nn; from tensorflow._api.v2.compat.v1 import logging; import tensorflow; "
        "assert tensorflow.nn is nn"
    ),
    (
        "import tensorflow.compat.v2 as tf2; from tensorflow.compat.v2.keras import layers; import "
        "tensorflow; assert tf2 is tensorflow"
    ),
    "import tf_keras; from tf_keras.layers import Dense; import keras; assert Dense is keras.layers.Dense",
    "from tensorflow.keras.layers import *; Dense(2)",
    "import tensorflow.keras.backend as K; K.learning_phase()",
    (
        "import importlib.metadata as m, tensorflow as tf; assert m.version('tensorflow') == "
        "tf.__version__ == tf.version.VERSION"
    ),
    (
        "import importlib.util as u; assert u.find_spec('tensorflow'); import tensorflow; assert "
        "u.find_spec('tensorflow.nn')"
    ),
])  # fmt: skip
def test_imports_of_programs_and_libraries(interpreter, statement):
    assert interpreter(statement) == ""


def test_a_real_tensorflow_beside_is_hidden_and_nothing_else(tmp_path):
    """Only `tensorflow…` and `tf_keras…` are answered.

    A package beside stays what it is, and so does TensorFlow without the drop-in.
    """
    for name in ("tensorflow", "tensorflow_text", "tf_keras"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("here = True")
        (tmp_path / f"{name}-1.0.dist-info").mkdir()
        (tmp_path / f"{name}-1.0.dist-info" / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        )
    seen = "import tensorflow as a, tensorflow_text as b, tf_keras as c, importlib.metadata as m; " \
        "print([hasattr(x, 'here') for x in (a, b, c)], m.version('tensorflow'), m.version('tensorflow_text'))"
    (tmp_path / "prog.py").write_text(seen)
    assert python("-m", "reflow", "prog.py", cwd=tmp_path).stdout.strip() == "[False, True, False] 2.21.0 1.0"
    assert python("-c", f"import reflow; {seen}", cwd=tmp_path).stdout.strip() == "[True, True, True] 1.0 1.0"


def test_importing_tensorflow_imports_no_keras_and_prints_nothing():
    done = python("-m", "reflow", "-c", "import tensorflow, sys; assert 'keras' not in sys.modules")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_public_submodules_are_the_same_objects(interpreter):
    assert not interpreter("""
        import reflow, tensorflow as tf
        import tensorflow.nn, tensorflow.compat.v1 as tf1, tensorflow.data as data
        from tensorflow.math import add
        assert tensorflow.nn is reflow.nn and tf1 is reflow.compat.v1 and data is reflow.data
        assert add is reflow.math.add and reflow.nn.__name__ != "tensorflow.nn"
    """)


def test_protos_do_not_hide_reflows_own_core(interpreter):
    assert not interpreter("""
        import reflow.core, tensorflow as tf
        from tensorflow.core.framework import graph_pb2
        assert graph_pb2.GraphDef().SerializeToString() == b""
        assert reflow.core.__name__ == "reflow.core" and tf.core is not reflow.core
    """)


@pytest.mark.parametrize("name", ["eager", "graph", "core.context", "python.nonsense", "function", "nonsense"])
def test_unknown_modules_are_not_found(interpreter, name):
    assert not interpreter(f"""
        import importlib
        try:
            importlib.import_module("tensorflow.{name}")
        except ModuleNotFoundError as error:
            assert error.name == "tensorflow.{name}" and "Reflow" in str(error), error
        else:
            raise SystemExit("found")
    """)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("import tensorflow.lite", "TensorFlow has tf.lite; Reflow does not yet."),
        ("from tensorflow import lite", "TensorFlow has tf.lite; Reflow does not yet."),
        ("import tensorflow as tf; tf.lite", "TensorFlow has tf.lite; Reflow does not yet."),
        (
            "import tensorflow as tf; tf.constnat",
            "module 'tensorflow' has no attribute 'constnat'. Did you mean tf.constant?",
        ),
    ],
)
def test_what_tensorflow_has_is_no_typo(interpreter, statement, message):
    assert message in interpreter(statement)


def test_installing_twice_changes_nothing(interpreter):
    assert not interpreter("""
        import sys
        from reflow.drop_in.install import install_as_tensorflow
        before = list(sys.meta_path)
        install_as_tensorflow()
        assert sys.meta_path == before
    """)


@pytest.mark.parametrize(
    ("module", "message"),
    [("tensorflow", "real tensorflow is already imported"), ("keras.src.backend.config", "backend 'jax'")],
)
def test_too_late(module, message):
    """A real TensorFlow, or Keras with another backend, is in the process already."""
    code = f"""
        import sys, types
        fake = sys.modules[{module!r}] = types.ModuleType({module!r})
        fake.backend = lambda: "jax"
        from reflow.keras import install_as_tensorflow
        install_as_tensorflow()
    """
    done = python("-c", textwrap.dedent(code))
    assert done.returncode == 1
    assert "ImportError" in done.stderr and message in done.stderr


def test_keras_is_keras(interpreter):
    assert not interpreter("""
        from tensorflow.keras.layers import Dense
        from tensorflow import keras
        import tensorflow as tf, keras as real, tensorflow.keras.backend as K, reflow
        from reflow.keras import layers
        from reflow.keras.layers import Dense as Again
        others = tf.keras.layers.Dense, keras.layers.Dense, layers.Dense, Again, Dense
        assert all(other is real.layers.Dense for other in others)
        assert real.backend.backend() == "tensorflow" and K.backend() == "tensorflow"
        assert reflow.keras.__version__ == real.__version__
    """)


def test_reflow_keras_activates_the_drop_in():
    code = "import reflow; reflow.keras.Sequential; import tensorflow as tf; print(tf.Tensor is reflow.Tensor)"
    done = python("-c", code)
    assert done.stdout.strip() == "True", done.stderr


PROGRAM = """
import sys
print(__name__, sys.argv, sys.path[0], globals().get("__file__"), __package__)
print(__spec__ and __spec__.name, sys.modules["__main__"].__dict__ is globals(), type(__loader__).__name__)
"""


@pytest.fixture
def programs(tmp_path):
    """A script, a package, a folder and a zip file that all print what they see."""
    (tmp_path / "prog.py").write_text(PROGRAM)
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("import sys; print(sys.argv)")
    (tmp_path / "pack" / "__main__.py").write_text(PROGRAM)
    (tmp_path / "pack" / "part.py").write_text(PROGRAM)
    with zipfile.ZipFile(tmp_path / "prog.zip", "w") as file:
        file.writestr("__main__.py", PROGRAM)
    return tmp_path


@pytest.mark.parametrize(
    "args",
    [
        ("prog.py", "a", "--help"),
        ("./pack/part.py",),
        ("pack", "a"),
        ("prog.zip", "-m"),
        ("-m", "pack", "a", "-c"),
        ("-m", "pack.part"),
        ("-m", "prog", "a"),
    ],
    ids=" ".join,
)
def test_a_program_sees_what_it_would_see_under_python(programs, args):
    plain, ours = python(*args, cwd=programs), python("-m", "reflow", *args, cwd=programs)
    assert plain.returncode == 0
    assert ours.stdout == plain.stdout, ours.stderr


def test_code_on_the_command_line_and_from_standard_input(tmp_path):
    program = "import sys; print(__name__, sys.argv, repr(sys.path[0]), '__file__' in globals())"
    for args, stdin in [(("-c", program, "a"), None), (("-", "a"), program)]:
        plain, ours = (python(*start, *args, cwd=tmp_path, stdin=stdin) for start in ((), ("-m", "reflow")))
        assert ours.stdout == plain.stdout != "", ours.stderr


def test_exit_status_and_traceback_are_the_programs(tmp_path):
    assert python("-m", "reflow", "-c", "raise SystemExit(7)").returncode == 7
    (tmp_path / "bad.py").write_text("def f():\n    raise ValueError('mine')\nf()\n")
    done = python("-m", "reflow", "bad.py", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == python("bad.py", cwd=tmp_path).stderr
    (tmp_path / "bad.py").write_text("def")
    assert python("-m", "reflow", "bad.py", cwd=tmp_path).stderr == python("bad.py", cwd=tmp_path).stderr


@pytest.mark.parametrize(
    ("args", "status", "text"),
    [
        ((), 2, "usage: python -m reflow"),
        (("--help",), 0, "usage: python -m reflow"),
        (("--version",), 0, "as TensorFlow 2.21.0"),
        (("--nonsense",), 2, "unknown option --nonsense"),
        (("-m",), 2, "argument expected for the -m option"),
        (("no_such_file.py",), 2, "can't open file"),
        (("-m", "no_such_module"), 1, "No module named 'no_such_module'"),
    ],
)
def test_usage(args, status, text):
    done = python("-m", "reflow", *args)
    assert done.returncode == status
    assert text in done.stdout + done.stderr


def test_pytest_plugin(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import tensorflow as tf, reflow\ndef test(): assert tf.Tensor is reflow.Tensor"
    )
    done = python("-m", "pytest", "-q", "-p", "reflow.pytest_plugin", "test_it.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_tensorrt_is_the_engine_where_it_is_not_installed():
    done = python(
        "-m", "reflow", "-c",
        "import tensorrt as trt, tensorrt, reflow.engine; print(trt is reflow.engine, trt.Logger.__name__)",
    )
    assert done.stdout.strip() == "True Logger"
    assert done.stderr.count("TensorRT is not installed") == 1
    names = "from tensorflow.python.compiler.tensorrt import trt_convert as t; print(t.TrtGraphConverterV2.__name__)"
    assert check(names) == "TrtGraphConverterV2"
