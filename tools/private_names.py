"""Write what one name of TensorFlow has to do with another.

    python tools/private_names.py          # with a python that has TensorFlow 2.21, from the repository root

- `reflow/drop_in/private_names.json.gz`: where in the public namespace the things of private modules are.
- `reflow/api/framework/v1_names.json.gz`: the paths below `tf.compat.v1` that lead to the same thing as below `tf`.

Only callables and dtypes are recorded, and modules that `import tensorflow` loads. A thing that only `tf.compat.v1` has is recorded
under that path. The generated modules `gen_*_ops` follow from the op's name and are left out.
"""

import gzip
import inspect
import json
import sys
import types
from pathlib import Path

import tensorflow as tf

ROOT = Path(__file__).resolve().parents[1]


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
                if "tensorflow._api." in vars(value).get("__name__", "") and id(value) not in seen:
                    seen.add(id(value))
                    queue.append((value, full))
            elif callable(value) or isinstance(value, tf.DType):
                found.setdefault(id(value), full)
    return found


def private_names() -> dict[str, dict[str, str]]:
    """{private module: {name: public path}}."""
    private = ("compat.v1", "compat.v2", "keras", "python", "core", "compiler", "security", "tsl", "raw_ops")
    public = public_paths(tf.compat.v1, "compat.v1", tuple(f"compat.v1.{p}" for p in private))
    public |= public_paths(tf, "", private)
    rows = {}
    for module in sorted(sys.modules):
        if not module.startswith("tensorflow.python.") or ".keras" in module or ".gen_" in module:
            continue
        here = {
            name: public[id(value)]
            for name, value in sorted(vars(sys.modules[module]).items())
            if not name.startswith("_") and id(value) in public
        }
        if here:
            rows[module] = here
    return rows


def same_call(old, new) -> bool:
    """Whether calls of one function are calls of the other: the arguments of one are the first of the other's."""
    if not (inspect.isfunction(old) and inspect.isfunction(new)):
        return False
    first, second = (list(inspect.signature(f).parameters) for f in (old, new))
    return first[: len(second)] == second or second[: len(first)] == first


def shared_names() -> list[str]:
    """Paths that lead to the same thing below `tf` and below `tf.compat.v1`, or to functions with the same arguments."""
    found, queue, seen = [], [(tf.compat.v1, tf, "")], set()
    while queue:
        old, new, path = queue.pop()
        for name in dir(old):
            full = f"{path}.{name}" if path else name
            if name.startswith("_") or full in ("compat", "keras", "raw_ops", "estimator") or not hasattr(new, name):
                continue
            value, other = getattr(old, name), getattr(new, name)
            if not isinstance(value, types.ModuleType):
                found += [full] if value is other or same_call(value, other) else []
            elif "tensorflow._api." in vars(value).get("__name__", "") and id(value) not in seen:
                seen.add(id(value))
                queue.append((value, other, full))
    return sorted(found)


def write(target: Path, content) -> None:
    """A compressed JSON file, the same bytes for the same content."""
    target.write_bytes(gzip.compress(json.dumps(content, separators=(",", ":")).encode(), mtime=0))
    print(target, target.stat().st_size, "bytes")


if __name__ == "__main__":
    if "--v1" not in sys.argv:
        write(ROOT / "reflow" / "drop_in" / "private_names.json.gz", private_names())
    write(ROOT / "reflow" / "api" / "framework" / "v1_names.json.gz", shared_names())
