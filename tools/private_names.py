"""Write what one name of TensorFlow has to do with another.

    python tools/private_names.py          # with a python that has TensorFlow 2.21, from the repository root

- `reflow/drop_in/private_names.json.gz`: where in the public namespace the things of private modules are; of what has
  no public name, the op whose generated function it is (`raw_ops.MatMul`), the private module that it is
  (`module:tensorflow.python.…`), or the constant.
- `reflow/core/tensorflow_names.json.gz`: every public name, for the error that says "TensorFlow has it; Reflow does not
  yet".
- `reflow/drop_in/class_names.json.gz`: in which private module each public class is, and how it is called there.
- `tools/data/v1_names.json.gz`: which thing below `tf` a name below `tf.compat.v1` leads to; `tools/make_namespaces.py`
  reads it.

Only callables, dtypes and members of enumerations have public paths. All modules of the package are recorded, not only
those that `import tensorflow` loads; command-line tools, tests and the copies of Keras are left out. A thing that is
public under another decorator counts as the public one (`nn_ops.relu` and `tf.nn.relu`). A thing that only
`tf.compat.v1` has is recorded under that path. Of the generated modules `gen_*_ops` only what is public is recorded;
the rest follows from the op's name.
"""

import contextlib
import enum
import gzip
import importlib
import inspect
import json
import pkgutil
import re
import sys
import types
from pathlib import Path

import tensorflow as tf
from tensorflow.python.util import tf_decorator

ROOT = Path(__file__).resolve().parents[1]


def is_public(module: types.ModuleType) -> bool:
    """Whether a module is one of TensorFlow's public namespaces, not a private module that one of them imports."""
    name = vars(module).get("__name__", "")
    return "tensorflow._api." in name or name in ("tensorflow.experimental", "tensorflow.python.platform.flags")


def public_paths(module, prefix: str, skip: tuple) -> dict[int, str]:
    """The shortest public path of everything below `module`, by identity."""
    found: dict[int, str] = {}
    seen: set[int] = set()
    queue = [(module, prefix)]
    while queue:  # level by level: the first path to a thing is a shortest one
        module, path = queue.pop(0)
        for name in sorted(dir(module)):
            full = f"{path}.{name}" if path else name
            if (name.startswith("_") and name != "__internal__") or full.startswith(skip):
                continue
            try:
                value = getattr(module, name)
            except Exception:  # a lazy module that this machine cannot load
                continue
            if isinstance(value, types.ModuleType):
                if is_public(value) and id(value) not in seen:
                    seen.add(id(value))
                    queue.append((value, full))
            elif callable(value) or isinstance(value, (tf.DType, enum.Enum)):
                found.setdefault(id(value), full)
                found.setdefault(id(innermost(value)), full)
    return found


def innermost(value):
    """The function inside all of TensorFlow's decorators; any other thing itself."""
    return tf_decorator.unwrap(value)[1] if inspect.isfunction(value) else value


def generated_functions() -> dict[int, str]:
    """The path of each op's generated function, by identity."""
    ops = {op.lower(): op for op in dir(tf.raw_ops) if not op.startswith("_")}
    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("tensorflow.python.ops.gen_"):
            for key, value in vars(module).items():
                if inspect.isfunction(value) and key.replace("_", "") in ops:
                    found[id(value)] = f"raw_ops.{ops[key.replace('_', '')]}"
    return found


def recorded_as(name: str, value, public: dict[int, str], generated: dict[int, str]):
    """How a name of a private module is recorded, or None: see the module's docstring."""
    if isinstance(value, types.ModuleType):
        full = value.__name__
        return f"module:{full}" if full.startswith("tensorflow.python.") and ".keras" not in full else None
    if callable(value) or isinstance(value, (tf.DType, enum.Enum)):
        return public.get(id(value)) or public.get(id(innermost(value))) or generated.get(id(value))
    constant = name.strip("_").isupper() and type(value) in (str, int, float, bool)
    return {"value": value} if constant and value == value else None


def is_from_op(what) -> bool:
    """Whether a recorded name of a generated module follows from an op's name, or is what the module itself imports."""
    return not isinstance(what, str) or what.startswith(("raw_ops.", "module:", "__internal__."))


def load_all() -> None:
    """Import the private modules that `import tensorflow` leaves out."""
    skip = re.compile(
        r"\.keras\b|\.autograph\b|\.tools\b|\.gen_|test|\.pywrap|\._pywrap|\.debug\.(cli|examples)|__main__"
    )
    for found in pkgutil.walk_packages(
        sys.modules["tensorflow.python"].__path__, "tensorflow.python.", onerror=lambda name: None
    ):
        if not skip.search(found.name):
            with contextlib.suppress(Exception):  # needs a library that is not installed, or registers a flag twice
                importlib.import_module(found.name)


def private_names() -> dict[str, dict]:
    """{private module: {name: what it is}}."""
    load_all()
    private = ("compat.v1", "compat.v2", "keras", "python", "core", "compiler", "security", "tsl", "raw_ops")
    public = public_paths(tf.compat.v1, "compat.v1", tuple(f"compat.v1.{p}" for p in private))
    public |= public_paths(tf, "", private)
    generated = generated_functions()
    rows = {}
    for module in sorted(sys.modules):
        if not module.startswith("tensorflow.python.") or ".keras" in module:
            continue
        items = [(n, v) for n, v in sorted(vars(sys.modules[module]).items()) if not n.startswith("__")]
        here = {
            name: what for name, value in items if (what := recorded_as(name, value, public, generated)) is not None
        }
        if ".gen_" in module:
            here = {name: what for name, what in here.items() if not is_from_op(what)}
        if here:
            rows[module] = here
    return rows


def same_call(old, new) -> bool:
    """Whether calls of one function are calls of the other: the arguments of one are the first of the other's."""
    if not (inspect.isfunction(old) and inspect.isfunction(new)):
        return False
    first, second = (list(inspect.signature(f).parameters) for f in (old, new))
    return first[: len(second)] == second or second[: len(first)] == first


def below(module, path: str = "", skip: tuple = ("compat.v1", "compat.v2", "estimator", "keras", "raw_ops")):
    """(path, thing) of everything public below a module that is not a module itself."""
    queue = [(module, path)]
    while queue:
        module, path = queue.pop()
        for name in dir(module):
            full = f"{path}.{name}" if path else name
            if (name.startswith("_") and name not in ("__internal__", "__operators__")) or full in skip:
                continue
            try:
                value = getattr(module, name)
            except Exception:  # a lazy module that this machine cannot load
                continue
            if not isinstance(value, types.ModuleType):
                yield full, value
            elif is_public(value):
                queue.append((value, full))


def find(path: str):
    """The thing at a path below `tf`, or None."""
    value = tf
    for part in path.split("."):
        try:
            value = getattr(value, part)
        except Exception:  # AttributeError, or a lazy module that this machine cannot load
            return None
    return value


def v1_names() -> dict[str, str]:
    """{path below `tf.compat.v1`: path below `tf`} of what is the same thing, or a function with the same arguments."""
    new = public_paths(tf, "", ("compat", "keras", "python", "core", "compiler", "security", "tsl", "raw_ops"))
    found = {}
    for path, value in below(tf.compat.v1):
        other = find(path)
        if other is not None and (value is other or same_call(value, other)):
            found[path] = path
        elif id(value) in new:
            found[path] = new[id(value)]
    return dict(sorted(found.items()))


def all_names() -> list[str]:
    """Every public path below `tf`, Keras and `raw_ops` apart."""
    new = [path for path, _ in below(tf)]
    old = [f"compat.v1.{path}" for path, _ in below(tf.compat.v1)]
    return sorted({*new, *old})


def class_names() -> dict[str, str]:
    """{public path: full name} of classes, those of messages and of interfaces (`tf.types`,
    `tf.__internal__`) apart."""
    skip = (
        "compat", "keras", "initializers", "losses", "metrics", "optimizers", "lite", "raw_ops", "types", "__internal__"
    )
    found = {
        path: f"{value.__module__}.{value.__qualname__}"
        for path, value in below(tf, skip=skip)
        if inspect.isclass(value) and value.__module__.startswith("tensorflow.python.")
        and ".keras." not in value.__module__
    }
    return dict(sorted(found.items()))


def write(target: Path, content) -> None:
    """A compressed JSON file, the same bytes for the same content."""
    target.write_bytes(gzip.compress(json.dumps(content, separators=(",", ":")).encode(), mtime=0))
    print(target, target.stat().st_size, "bytes")


if __name__ == "__main__":
    write(ROOT / "reflow" / "core" / "tensorflow_names.json.gz", all_names())
    write(ROOT / "reflow" / "drop_in" / "class_names.json.gz", class_names())
    write(ROOT / "tools" / "data" / "v1_names.json.gz", v1_names())
    write(ROOT / "reflow" / "drop_in" / "private_names.json.gz", private_names())  # last: it loads more than users do
