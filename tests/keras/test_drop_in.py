"""The drop-in: the table of names resolves, `import tensorflow` finds Reflow, `python -m reflow` behaves as `python`.

Whatever touches `sys.meta_path` or `__main__` runs in a process of its own.
"""

import os
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest

from reflow.keras import drop_in, names

ROOT = Path(__file__).resolve().parents[2]


def python(*args, cwd=None, stdin=None, **environment):
    """Run Python, with Reflow importable from anywhere; the completed process, output as text."""
    env = {k: v for k, v in os.environ.items() if k != "KERAS_BACKEND"} | environment
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, *map(str, args)]
    return subprocess.run(command, cwd=cwd, env=env, input=stdin, capture_output=True, text=True, timeout=300)


def check(code, *args, cwd=None):
    """Run a program with the drop-in active; its output."""
    done = python("-m", "reflow", "-c", textwrap.dedent(code), *args, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def missing(paths):
    """The paths that `reflow` does not have."""
    lacking = []
    for path in paths:
        try:
            drop_in.resolve(path)
        except AttributeError:
            lacking.append(path)
    return sorted(set(lacking))


# The table


def test_every_name_that_keras_imports_resolves():
    assert missing(path for table in names.KERAS.values() for path in table.values()) == []


def test_every_name_that_friends_import_resolves():
    assert missing(path for table in names.FRIENDS.values() for path in table.values()) == []


def test_namespaces_resolve():
    assert missing(path for paths in names.NAMESPACES.values() for path in paths) == []


def test_modules_that_keras_imports_exist():
    assert missing(names.KERAS_MODULES) == []


def test_every_stamped_class_exists():
    assert missing(names.CLASSES) == []


def test_one_class_is_not_stamped_twice():
    classes = [drop_in.resolve(path) for path in names.CLASSES if path not in missing(names.CLASSES)]
    assert len(classes) == len(set(map(id, classes)))


# The finder


def test_tensorflow_is_reflow():
    out = check("""
        import tensorflow as tf, reflow
        from tensorflow import constant
        assert constant is reflow.constant and tf.Tensor is reflow.Tensor
        print(tf.__version__, tf.__name__, "keras" in dir(tf), "core" in dir(tf))
    """)
    assert out == "2.21.0 tensorflow True False"


def test_importing_tensorflow_imports_no_keras_and_prints_nothing():
    done = python("-m", "reflow", "-c", "import tensorflow, sys; assert 'keras' not in sys.modules")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_public_submodules_are_the_same_objects():
    check("""
        import reflow, tensorflow as tf
        import tensorflow.nn, tensorflow.compat.v1 as tf1, tensorflow.data as data
        from tensorflow.math import add
        assert tensorflow.nn is reflow.nn and tf1 is reflow.compat.v1 and data is reflow.data
        assert add is reflow.math.add and reflow.nn.__name__ != "tensorflow.nn"
    """)


def test_protos_do_not_hide_reflows_own_core():
    check("""
        import reflow.core, tensorflow as tf
        from tensorflow.core.framework import graph_pb2
        assert graph_pb2.GraphDef().SerializeToString() == b""
        assert reflow.core.__name__ == "reflow.core" and tf.core is not reflow.core
    """)


@pytest.mark.parametrize("name", ["eager", "graph", "core.context", "python.nonsense", "function", "nonsense"])
def test_unknown_modules_are_not_found(name):
    check(f"""
        import importlib
        try:
            importlib.import_module("tensorflow.{name}")
        except ModuleNotFoundError as error:
            assert error.name == "tensorflow.{name}" and "Reflow" in str(error), error
        else:
            raise SystemExit("found")
    """)


def test_private_name_that_the_table_lacks():
    check("""
        try:
            from tensorflow.python.eager.context import no_such_thing
        except ImportError as error:
            assert "no_such_thing" in str(error)
        else:
            raise SystemExit("found")
    """)


def test_classes_carry_tensorflows_names():
    check("""
        import tensorflow as tf
        assert (tf.Tensor.__module__, tf.Tensor.__name__) == ("tensorflow.python.framework.tensor", "Tensor")
        dataset = next(c for c in type(tf.data.Dataset.range(1)).__mro__ if c.__name__ == "DatasetV2")
        assert "tensorflow.python." in dataset.__module__
        import pickle
        assert pickle.loads(pickle.dumps(tf.TensorShape([1, None]))).as_list() == [1, None]
    """)


def test_installing_twice_changes_nothing():
    check("""
        import sys
        from reflow.keras.drop_in import install_as_tensorflow
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


# Keras


def test_keras_is_keras():
    check("""
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


# python -m reflow

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


CHILDREN = """
import multiprocessing
import tensorflow as tf  # fails in a child that did not inherit the drop-in

def work(queue):
    queue.put((tf.__version__, tf.Tensor.__module__))

if __name__ == "__main__":
    for method in ("spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        process = context.Process(target=work, args=(queue,))
        process.start()
        process.join()
        print(method, queue.get(timeout=5))
"""


def test_spawned_processes_inherit(tmp_path):
    (tmp_path / "prog.py").write_text(CHILDREN)
    done = python("-m", "reflow", "prog.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    expected = ("2.21.0", "tensorflow.python.framework.tensor")
    assert done.stdout.splitlines() == [f"spawn {expected}", f"forkserver {expected}"]


def test_pytest_plugin(tmp_path):
    (tmp_path / "test_it.py").write_text("import tensorflow as tf, reflow\ndef test(): assert tf.Tensor is reflow.Tensor")
    done = python("-m", "pytest", "-q", "-p", "reflow.pytest_plugin", "test_it.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
