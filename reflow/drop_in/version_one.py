"""Programs of TensorFlow 1 as they stand: `import tensorflow as tf`, then `tf.placeholder`.

Such a program is told by its source: it uses names directly below `tensorflow` that only version 1 has there. It gets version 1's namespace
(`tf.compat.v1`) as `tensorflow`, and builds graphs.
"""

from __future__ import annotations

import ast
import functools
import importlib
import sys
import types

from reflow.drop_in import install

#: namespaces directly below `tensorflow` that only version 1 has, whether or not they are here
_MARKS = frozenset(["contrib", "app", "flags", "logging", "gfile", "layers", "python_io", "user_ops", "spectral", "manip"])


@functools.cache
def _only_in_version_1() -> frozenset[str]:
    """The names below `tf.compat.v1` that `tf` has not."""
    old, new = install.resolve("compat.v1"), install.resolve("")
    return frozenset(n for n in dir(old) if not n.startswith("_")) - frozenset(dir(new))


def first_use(source: str | bytes) -> tuple[str, int] | None:
    """The first name that only version 1 has, and its line; None if the program is one of version 2, or not Python.

    >>> first_use("import tensorflow as tf\\nx = tf.placeholder(tf.float32)")
    ('tf.placeholder', 2)
    >>> first_use("import tensorflow.compat.v1 as tf\\nx = tf.placeholder(tf.float32)")
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    aliases = {
        name.asname or "tensorflow"
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for name in node.names
        if name.name == "tensorflow" or name.name.startswith("tensorflow.") and name.asname is None
    }
    rebound = {t.id for node in ast.walk(tree) if isinstance(node, ast.Assign) for t in node.targets if isinstance(t, ast.Name)}
    found = [
        (node.lineno, f"{node.value.id}.{node.attr}")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in aliases - rebound
        and (node.attr in _MARKS or node.attr in _only_in_version_1())
    ]
    found += [
        (node.lineno, str(node.module))
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tensorflow.contrib")
    ]
    if not found:
        return None
    line, name = min(found)
    return name, line


def switch() -> None:
    """Let `tensorflow` be version 1's namespace from now on, and let programs build graphs."""
    from reflow.compat.behavior import disable_eager_execution
    from reflow.drop_in.contrib import contrib

    install.Facade.space = "compat.v1"
    modules: dict = {"tensorflow.contrib": contrib}
    modules |= {f"tensorflow.contrib.{name}": part for name, part in vars(contrib).items() if isinstance(part, types.ModuleType)}
    sys.modules.update(modules)
    vars(importlib.import_module("tensorflow"))["contrib"] = contrib
    disable_eager_execution()


def prepare(source: str | bytes, choice: str | None) -> None:
    """Switch to version 1 if `choice` ("--tf1") or the source asks for it; says so in one line."""
    if choice == "--tf2":
        return
    found = first_use(source)
    if found is None and choice is None:
        return
    switch()
    if choice is None and found is not None:
        print(
            f"python -m reflow: a program of TensorFlow 1 ({found[0]} in line {found[1]}): it runs on tf.compat.v1 and builds graphs. "
            "--tf2 turns this off.",
            file=sys.stderr,
        )
