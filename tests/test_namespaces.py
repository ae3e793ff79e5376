"""The public namespaces: generated modules, the ways to import them, what editors see, and names that are not there."""

import ast
import functools
import importlib
import importlib.util
import inspect
import subprocess
import sys
import types
from pathlib import Path

import pytest
from mypy import api as mypy

import reflow as tf
from reflow.core import namespaces, version

ROOT = Path(__file__).parent.parent


def tool(name: str) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make_namespaces = tool("make_namespaces")


def test_the_generated_modules_are_what_the_generator_writes():
    assert make_namespaces.differences(make_namespaces.files()) == [], "run `make namespaces`"


def test_a_difference_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(make_namespaces, "PUBLIC", tmp_path)
    monkeypatch.setattr(make_namespaces, "PACKAGE", tmp_path)
    same, other, extra = (tmp_path / f"{name}.py" for name in ("same", "other", "extra"))
    for file in (same, other, extra):
        file.write_text("1")
    wanted = {same: "1", other: "2", tmp_path / "missing.py": "3"}
    assert [f.stem for f in make_namespaces.differences(wanted)] == ["extra", "missing", "other"]


def test_a_home_is_where_a_statement_binds_the_thing():
    homes = make_namespaces.Homes()
    concat = homes.find("concat", inspect.unwrap(tf.concat), "reflow.api.call")  # `keras.Input` wraps it
    assert concat == ("reflow.api.array.arrange", "concat")
    assert homes.find("data.Dataset", tf.data.Dataset, "reflow.api.call").module == "reflow.data.dataset"
    with pytest.raises(LookupError, match="tf.nothing: nothing at the top level of reflow.api.call"):
        homes.find("nothing", object(), "reflow.api.call")


# --- imports --------------------------------------------------------------------------------------------------------

FORMS = [
    "import reflow.math; assert reflow.math.tanh is tf.tanh",
    "import reflow.math.special; assert reflow.math.special is tf.math.special",
    "from reflow.nn import relu; assert relu is tf.nn.relu",
    "from reflow import nn; assert nn is tf.nn",
    (
        "from reflow.nn.experimental import stateless_dropout; assert stateless_dropout is "
        "tf.nn.experimental.stateless_dropout"
    ),
    "import reflow.compat.v1 as v1; assert v1 is tf.compat.v1 and v1.Session is tf.compat.v1.Session",
    "from reflow.compat import v1; assert v1.nn is tf.compat.v1.nn",
    "import reflow.compat.v1.nn as nn; assert nn.max_pool is tf.compat.v1.nn.max_pool",
    "from reflow.compat.v2 import add; assert add is tf.add",
    "import reflow.compat.v2 as v2; assert v2 is tf",
    "import reflow.compat.v2.nn as nn; assert nn is tf.nn",
    "from reflow.data import Dataset; assert Dataset is tf.data.Dataset",
    "import reflow.data.experimental as e; assert e is tf.data.experimental and e.AUTOTUNE == tf.data.AUTOTUNE",
    "from reflow.io import gfile; assert gfile.GFile is tf.io.gfile.GFile",
    "import reflow.io.gfile; assert reflow.io.gfile.exists('/')",
    "from reflow.saved_model import load, save; assert load is tf.saved_model.load and callable(save)",
    "from reflow.raw_ops import MatMul; assert MatMul is tf.raw_ops.MatMul",
    "from reflow.keras import layers; assert layers.Dense is tf.keras.layers.Dense",
    "from reflow.__internal__ import tracking; assert tracking is tf.__internal__.tracking",
    "from reflow.math import *; assert tanh is tf.tanh and special is tf.math.special",
]


@pytest.mark.parametrize("forms", [FORMS, FORMS[::-1]], ids=["forwards", "backwards"])
def test_ways_to_import(forms):
    """In a new process, and in two orders: a namespace is loaded when it is first asked for."""
    lines = []
    for form in forms:
        setup, check = form.split("; ")
        lines += [setup, "import reflow as tf", check]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_rooms_show_their_public_names_only():
    assert "Dataset" in dir(tf.data) and "experimental" in dir(tf.data)
    assert "engine" not in dir(tf.data)
    assert importlib.import_module("reflow.data.engine")  # but they hold modules too


def test_the_top_level_lists_names_and_namespaces():
    assert {"concat", "math", "data", "keras", "Tensor", "__version__"} <= set(dir(tf))


def test_versions():
    assert tf.__version__ == version.REFLOW != version.TENSORFLOW
    assert tf.version.VERSION == tf.compat.v1.version.VERSION == version.TENSORFLOW
    found = [f for f in (ROOT / "reflow").rglob("*.py") if version.TENSORFLOW in f.read_text()]
    assert [f.name for f in found] == ["version.py"]


# --- what editors and type checkers see -----------------------------------------------------------------------------

GOOD = """
import reflow as tf
import reflow.compat.v1 as v1
from reflow.data import Dataset
from reflow.keras.layers import Dense
from reflow.nn import relu
print(v1.Session, Dataset.range(3), Dense(2), relu([1.0]).shape)
x = tf.concat([tf.constant([1.0]), tf.zeros([2])], 0)
y = tf.math.special.expint(tf.nn.relu(x))
z = (tf.negative([1.0]) + 1.0).numpy()[0] + float(tf.Variable(1.0) * 2.0) + len(tf.tanh([1.0]))
d = tf.data.Dataset.from_tensor_slices([1, 2])
s = tf.compat.v1.Session()
print(tf.keras.layers.Dense, tf.__version__, tf.compat.v2.add, tf.newaxis, tf.io.gfile.GFile)
"""
BAD = {
    "tf.constnat(1)": "constant",
    "tf.nn.rellu": "relu",
    "tf.data.Datasset": "Dataset",
    "tf.math.special.expin": "expint",
    "tf.compat.v1.Sesion": "Session",
    "from reflow.nn import rellu": "relu",
    "from reflow.data import Datasset": "Dataset",
}


def check_types(tmp_path, text: str) -> list[str]:
    file = tmp_path / "program.py"
    file.write_text(text)
    report, errors, _ = mypy.run(["--config-file", str(ROOT / "pyproject.toml"), "--no-error-summary", str(file)])
    assert not errors
    return report.splitlines()


def test_a_type_checker_knows_the_names(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert check_types(tmp_path, GOOD) == []


def test_a_type_checker_refuses_typos(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    report = check_types(tmp_path, "\n".join(["import reflow as tf", *BAD]))
    assert len(report) == len(BAD)
    for line, meant in zip(report, BAD.values(), strict=True):
        assert "has no attribute" in line and f'maybe "{meant}"' in line


@functools.cache
def _defined_by(module: str) -> frozenset[str]:
    """The functions that `def` statements at the top of a module bind."""
    tree = ast.parse(inspect.getsource(importlib.import_module(module)))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def test_a_type_checker_knows_the_signatures(tmp_path, monkeypatch):
    """No decorator hides the parameters of a function."""
    monkeypatch.chdir(ROOT)
    rooms = ("image", "linalg", "math", "nn", "random", "signal", "strings")
    spaces = {"": tf, **{f"{room}.": getattr(tf, room) for room in rooms}}
    names = [
        f"tf.{space}{name}" for space, module in spaces.items() for name in dir(module)
        if name[0] != "_" and inspect.isfunction(thing := getattr(module, name))
        and thing.__name__ in _defined_by(thing.__module__)
    ]
    assert len(names) > 400
    report = check_types(tmp_path, "\n".join(["import reflow as tf", *(f"reveal_type({name})" for name in names)]))
    shown = [line.partition('Revealed type is "')[2] for line in report if "Revealed type" in line]
    assert len(shown) == len(names)
    assert [name for name, kind in zip(names, shown, strict=True) if not kind.startswith(("def ", "Overload"))] == []


# --- names that are not there ---------------------------------------------------------------------------------------

MISSING = [
    ("constnat", "module 'reflow' has no attribute 'constnat'. Did you mean tf.constant?"),
    ("relu", "module 'reflow' has no attribute 'relu'. Did you mean tf.nn.relu?"),
    ("nn.rellu", "module 'reflow.nn' has no attribute 'rellu'. Did you mean tf.nn.relu or tf.nn.relu6 or tf.nn.crelu?"),
    ("data.Datasset", "module 'reflow.data' has no attribute 'Datasset'. Did you mean tf.data.Dataset?"),
    ("nonsense", "module 'reflow' has no attribute 'nonsense'."),
    (
        "placeholder", "module 'reflow' has no attribute 'placeholder'. It is a name of TensorFlow 1: "
        "tf.compat.v1.placeholder; `reflow upgrade` rewrites programs.",
    ),
    ("_private", "module 'reflow' has no attribute '_private'"),
]


def find(path: str):
    value = tf
    for part in path.split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize(("path", "message"), MISSING)
def test_a_typo_gets_the_closest_names(path, message):
    with pytest.raises(AttributeError) as error:
        find(path)
    assert str(error.value) == message


def test_a_name_that_tensorflow_has_is_no_typo(monkeypatch):
    monkeypatch.setattr(namespaces, "tensorflow_names", lambda: frozenset(["nn.of_the_future", "future", "future.now"]))
    for path, name in {"nn.of_the_future": "nn.of_the_future", "future.now": "future"}.items():
        with pytest.raises(AttributeError, match=f"^TensorFlow has tf.{name}; Reflow does not yet.$"):
            find(path)


@pytest.mark.parametrize(
    "statement", ["import reflow.lite", "from reflow import lite", "from reflow.lite import Interpreter"]
)
def test_a_module_that_tensorflow_has_says_so(statement):
    with pytest.raises(ImportError, match="^TensorFlow has tf.lite(.Interpreter)?; Reflow does not yet.$"):
        exec(statement, {})


def test_a_name_to_import_that_tensorflow_has_says_so(monkeypatch):
    monkeypatch.setattr(namespaces, "tensorflow_names", lambda: frozenset(["nn.of_the_future"]))
    with pytest.raises(ImportError, match="^TensorFlow has tf.nn.of_the_future; Reflow does not yet.$"):
        exec("from reflow.nn import of_the_future", {})
    with pytest.raises(ImportError, match="^cannot import name 'nonsense' from 'reflow.public.nn'"):
        exec("from reflow.nn import nonsense", {})


def test_every_name_of_tensorflow_is_there_or_says_so():
    for path in sorted(namespaces.tensorflow_names()):
        try:
            find(path)
        except AttributeError as error:
            assert str(error).startswith("TensorFlow has tf."), path
