"""Walks over a program and changes what TensorFlow 2 names or orders differently.

The renamed symbols and arguments were recorded from TensorFlow (`facts.json.gz`, by `tools/golden/upgrade.py`).
"""

from __future__ import annotations

import ast
import functools
import gzip
import json
from pathlib import Path
from typing import NamedTuple

from reflow.upgrade.calls import ERROR, INFO, RULES, WARNING
from reflow.upgrade.edits import Arguments, Source

#: imports after which `tf` is one version for sure, so that nothing is changed
_EXPLICIT = {f"tensorflow.compat.{version}" for version in ("v1", "v2")}
#: modules that SAFETY mode does not import from compat.v1
_KEPT = ("tensorflow.contrib", "tensorflow.flags", "tensorflow.compat", "tensorflow.google")


class Log(NamedTuple):
    """One line of the report."""

    severity: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.severity}: {self.message}"


@functools.cache
def facts() -> dict[str, dict]:
    """What changed between the versions, by kind of change."""
    return json.loads(gzip.decompress(Path(__file__).with_name("facts.json.gz").read_bytes()))


def full_name(node: ast.AST) -> str | None:
    """The dotted name that an expression is, or None.

    >>> full_name(ast.parse("tf.nn.relu", mode="eval").body)
    'tf.nn.relu'
    """
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        outer = full_name(node.value)
        return None if outer is None else f"{outer}.{node.attr}"
    return None


class Upgrader(ast.NodeVisitor):
    """Collects the edits and the log of one program."""

    def __init__(self, text: str) -> None:
        self.source, self.log = Source(text), list[Log]()
        self._done: set[int] = set()

    def say(self, severity: str, node: ast.AST, message: str) -> None:
        """Add a line to the log."""
        self.log.append(Log(severity, node.lineno, node.col_offset, message))  # type: ignore[attr-defined]

    # --- calls

    def visit_Call(self, node: ast.Call) -> None:
        name = full_name(node.func) or ""
        last = node.func.attr if isinstance(node.func, ast.Attribute) else name
        arguments = Arguments(self.source, node)
        self._warn_of_arguments(arguments, node, name, last)
        self._name_arguments(arguments, node, name)
        self._rename_arguments(arguments, node, name, last)
        for rule in (RULES.get(name), RULES.get(f"*.{last}") if isinstance(node.func, ast.Attribute) else None):
            if rule is None:
                continue
            if _unpacks(node, True):
                self.say(
                    WARNING, node,
                    f"(Manual check required) {name or last} may need other arguments, but "
                    "*args or **kwargs were passed.",
                )
            said = rule(arguments, name)
            for severity, message in said:
                self.say(severity, node, message)
            if arguments.calls_another:
                self._done.add(id(node.func))
        self.generic_visit(node)

    def _warn_of_arguments(self, arguments: Arguments, node: ast.Call, name: str, last: str) -> None:
        if isinstance(node.func, ast.Attribute) and f"*.{last}" in facts()["warned"]:
            self.say(
                facts()["warned"][f"*.{last}"], node,
                f"*.{last} requires manual check: it may do something else in version 2.",
            )
        rows = [*facts()["warned_arguments"].get(f"*.{last}", []), *facts()["warned_arguments"].get(name, [])]
        for argument, position, severity in sorted(rows, key=lambda row: (row[0], row[1] or 0)):
            if (
                _unpacks(node, True) or arguments.keyword(argument)
                or position is not None and arguments.value(argument, position)
            ):
                self.say(severity, node, f"{name or last} called with {argument} argument, requires manual check.")

    def _name_arguments(self, arguments: Arguments, node: ast.Call, name: str) -> None:
        """Arguments whose places changed are passed by name."""
        order = facts()["orders"].get(name)
        if order is None:
            return
        if _unpacks(node, False):
            self.say(
                WARNING, node,
                f"(Manual check required) the arguments of {name} may need another order, but *args were passed.",
            )
        plain = [arg for arg in node.args if not isinstance(arg, ast.Starred)]
        named = [(arg, key) for arg, key in zip(plain, order, strict=False) if key]
        renamed = facts()["keywords"].get(name, {})
        for arg, key in named:
            key = renamed.get(key, key)
            if key is not None:
                arguments.give_name(arg, key)
        if named:
            self.say(INFO, node, f"Added keywords to args of function {name!r}")

    def _rename_arguments(self, arguments: Arguments, node: ast.Call, name: str, last: str) -> None:
        renamed = facts()["keywords"].get(f"*.{last}", {}) | facts()["keywords"].get(name, {})
        if not renamed:
            return
        if any(item.arg is None for item in node.keywords):
            self.say(
                WARNING, node,
                f"(Manual check required) arguments of {name or last} may need other names, but **kwargs were passed.",
            )
        for item in list(node.keywords):
            if item.arg not in renamed:
                continue
            new = renamed[item.arg]
            if new is None:
                arguments.remove(item)
                self.say(INFO, item, f"Removed argument {item.arg} for function {name or last}")
            else:
                arguments.rename(item, new)
                self.say(INFO, item, f"Renamed keyword argument for {name} from {item.arg} to {new}")

    # --- names

    def visit_Attribute(self, node: ast.Attribute) -> None:
        name = full_name(node)
        if name is not None and id(node) not in self._done:
            if name in facts()["warned"]:
                self.say(
                    facts()["warned"][name], node,
                    f"{name} requires manual check: it may do something else in version 2.",
                )
            new = facts()["symbols"].get(name)
            if new:
                self.say(INFO, node, f"Renamed {name!r} to {new!r}")
                self.source.replace(self.source.start(node), self.source.end(node), new)
                return
            self._warn_of_module(node, name)
        if id(node) in self._done:
            return
        self.generic_visit(node)

    def _warn_of_module(self, node: ast.Attribute, name: str) -> None:
        if name in facts()["modules"]:
            self.say(
                facts()["modules"][name], node,
                f"{name} left TensorFlow with version 2: what is used of it needs a manual edit.",
            )


def _unpacks(node: ast.Call, keywords: bool) -> bool:
    return (
        any(isinstance(arg, ast.Starred) for arg in node.args) or keywords and any(k.arg is None for k in node.keywords)
    )


class Upgraded(NamedTuple):
    """The text of an upgraded program, and what was done; `text` is None if the program cannot be read."""

    text: str | None
    log: list[Log]

    @property
    def issues(self) -> list[Log]:
        """What a person has to check."""
        return [line for line in self.log if line.severity in (WARNING, ERROR)]


def upgrade(text: str, safe: bool = False, upgrade_compat_v1_import: bool = True) -> Upgraded:
    """Rewrite a program for version 2; `safe` only makes it import version 1.

    >>> upgrade("import tensorflow as tf\\nx = tf.placeholder(tf.float32)  # fed").text.splitlines()[1]
    'x = tf.compat.v1.placeholder(tf.float32)  # fed'
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        return Upgraded(None, [Log(ERROR, getattr(error, "lineno", 1) or 1, 0, f"Failed to parse: {error}")])
    upgrader = Upgrader(text)
    if safe:
        _import_version_1(upgrader, tree)
    elif _is_explicit(upgrader, tree, upgrade_compat_v1_import):
        return Upgraded(upgrader.source.changed(), upgrader.log)
    else:
        upgrader.visit(tree)
    return Upgraded(upgrader.source.changed(), upgrader.log)


def _is_explicit(upgrader: Upgrader, tree: ast.Module, upgrade_import: bool) -> bool:
    """Whether a program imports one version as `tf`, so that it stays as it is.

    Version 1 becomes `import tensorflow as tf` first.
    """
    found = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname != "tf" or alias.name not in _EXPLICIT:
                    continue
                if alias.name.endswith("v1") and upgrade_import:
                    start = upgrader.source.start(alias)
                    upgrader.source.replace(start, start + len(alias.name), "tensorflow")
                    continue
                found = True
                upgrader.say(INFO, node, f"The program imports {alias.name} as tf: it stays as it is.")
        elif isinstance(node, ast.ImportFrom) and node.module == "tensorflow.compat":
            for alias in node.names:
                if alias.name in ("v1", "v2") and alias.asname == "tf":
                    found = True
                    upgrader.say(
                        INFO, node, f"The program imports tensorflow.compat.{alias.name} as tf: it stays as it is."
                    )
    return found


def _import_version_1(upgrader: Upgrader, tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] != "tensorflow" or alias.name.startswith(_KEPT):
                    continue
                new = "tensorflow.compat.v1" + alias.name.removeprefix("tensorflow")
                start = upgrader.source.start(alias)
                after = " as tensorflow" if alias.asname is None and "." not in alias.name else ""
                upgrader.source.replace(start, start + len(alias.name), new + after)
                upgrader.say(INFO, node, f"Changed import of {alias.name} to {new}.")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tensorflow":
            module = str(node.module)
            if any(f"{module}.{alias.name}".startswith(_KEPT) for alias in node.names):
                continue
            start = upgrader.source.start(node) + len("from ")
            upgrader.source.replace(
                start, start + len(module), "tensorflow.compat.v1" + module.removeprefix("tensorflow")
            )
            upgrader.say(INFO, node, f"Changed import from {module} to tensorflow.compat.v1.")
        elif isinstance(node, ast.Attribute):
            name = full_name(node)
            if name is not None:
                upgrader._warn_of_module(node, name)
