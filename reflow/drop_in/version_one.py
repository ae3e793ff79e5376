"""Programs of TensorFlow 1 as they stand: `import tensorflow as tf`, then `tf.placeholder`.

Such a program is told by its source: it uses names directly below `tensorflow` that only version 1 has there. Some of
them only version 1's programs can mean: a session, a placeholder. Others are functions that version 2 has elsewhere
(`tf.log`): in a program that also uses what version 2 brought, such as `tf.function`, they are slips, and get version
2's error. A name behind a question for the version, or in a `try`, tells nothing. A program of version 1 gets version
1's namespace (`tf.compat.v1`) as `tensorflow`, and builds graphs.
"""

from __future__ import annotations

import ast
import functools
import importlib
import sys
import types
from collections.abc import Iterator

from reflow.drop_in import facade

#: namespaces directly below `tensorflow` that only version 1 has, whether or not they are here
_NAMESPACES = frozenset(
    ["contrib", "app", "flags", "logging", "gfile", "layers", "python_io", "user_ops", "spectral", "manip"]
)
#: packages that only version 1 has
_PACKAGES = ("tensorflow.contrib", "tensorflow.examples")
#: names that only a program of version 1 can mean
_DECISIVE = _NAMESPACES | {
    "AUTO_REUSE", "ConfigProto", "InteractiveSession", "Session", "enable_eager_execution", "get_collection",
    "get_default_graph", "get_variable", "global_variables", "global_variables_initializer", "initialize_all_variables",
    "local_variables_initializer", "placeholder", "placeholder_with_default", "reset_default_graph", "set_random_seed",
    "sparse_placeholder", "tables_initializer", "trainable_variables", "variable_scope",
}  # fmt: skip
#: names that version 1 did not have, or that its programs rarely used
_MODERN = frozenset(["GradientTape", "Module", "function", "keras", "compat", "lite", "saved_model", "debugging"])


@functools.cache
def _only_in_version_1() -> frozenset[str]:
    """The names below `tf.compat.v1` that `tf` has not, in TensorFlow's own version 2 either."""
    old, new = facade.resolve("compat.v1"), facade.resolve("")
    return frozenset(n for n in dir(old) if not n.startswith("_")) - frozenset(dir(new)) - _MODERN


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
    nodes = list(_certain(tree))
    used = list(_names_below(nodes, _aliases(tree)))
    found = [
        (line, f"{module}.{name}") for line, module, name in used if name in _NAMESPACES or name in _only_in_version_1()
    ]
    imported = [place for node in nodes for place in _imported(node) if place[1].startswith(_PACKAGES)]
    found += imported
    names = {name for _, _, name in used}
    decided = bool(imported) or not names.isdisjoint(_DECISIVE)
    if not found or not decided and not names.isdisjoint(_MODERN):
        return None
    line, name = min(found)
    return name, line


def _imported(node: ast.AST) -> list[tuple[int, str]]:
    """The modules that a statement imports, with its line."""
    if isinstance(node, ast.ImportFrom):
        return [(node.lineno, node.module or "")]
    return [(node.lineno, name.name) for name in node.names] if isinstance(node, ast.Import) else []


def _certain(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a program, without those that run in one version only: `if tf.__version__ < "2":`, `try:`."""
    yield node
    for child in ast.iter_child_nodes(node):
        guarded = (
            isinstance(child, ast.If) and any(word in ast.unparse(child.test) for word in ("version", "hasattr", "tf2"))
        )
        if not guarded and not (isinstance(child, ast.Try) and any(map(_catches_missing_names, child.handlers))):
            yield from _certain(child)


def _catches_missing_names(handler: ast.ExceptHandler) -> bool:
    caught = "Exception" if handler.type is None else ast.unparse(handler.type)
    return any(kind in caught for kind in ("AttributeError", "ImportError", "ModuleNotFoundError", "Exception"))


def _aliases(tree: ast.AST) -> set[str]:
    """The names that mean the module `tensorflow` throughout the program."""
    imported = {
        name.asname or "tensorflow"
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for name in node.names
        if name.name == "tensorflow" or name.name.startswith("tensorflow.") and name.asname is None
    }
    assigned = [t for node in ast.walk(tree) if isinstance(node, ast.Assign) for t in node.targets]
    return imported - {t.id for t in assigned if isinstance(t, ast.Name)}


def _names_below(nodes: list[ast.AST], aliases: set[str]) -> Iterator[tuple[int, str, str]]:
    """(line, module, name) of each name that is taken directly from the module `tensorflow`."""
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
            yield node.lineno, node.value.id, node.attr


def switch() -> None:
    """Let `tensorflow` be version 1's namespace from now on, and let programs build graphs."""
    from reflow.compat.behavior import disable_v2_behavior
    from reflow.drop_in.contrib.index import contrib, examples

    tensorflow = importlib.import_module("tensorflow")
    vars(tensorflow)["_space"] = "compat.v1"
    modules: dict = {"tensorflow.contrib": contrib, "tensorflow.examples": examples}
    modules |= {
        f"tensorflow.contrib.{name}": part for name, part in vars(contrib).items() if isinstance(part, types.ModuleType)
    }
    sys.modules.update(modules)
    vars(tensorflow)["contrib"] = contrib
    disable_v2_behavior()


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
            f"python -m reflow: a program of TensorFlow 1 ({found[0]} in line {found[1]}): it runs on tf.compat.v1 "
            "and builds graphs. --tf2 turns this off.",
            file=sys.stderr,
        )
