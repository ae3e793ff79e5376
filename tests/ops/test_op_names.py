"""Facts about ops stand in their records: op names outside of them are counted, and may only become fewer.

A string that is the name of an op is a *use* where it says which op to run (`run("AddV2", x, y)`,
`registry.get("Const")`) or names a node. It is a *fact* where somebody compares with it or keeps a table of names
(`if op.name == "Const"`, `frozenset({"Add", "AddN"})`, a decorator): that should be a field of a record. Each fact that
remains has a comment that says why.
"""

import ast
import pathlib

from reflow.ops.registry import REGISTRY
from tests import sources

PACKAGE = pathlib.Path(__file__).parents[2] / "reflow"
#: lower this when a fact moves into a record
MOST_FACTS = 0


def is_left_out(path: pathlib.Path) -> bool:
    """Records, public functions, the generated modules of public names;
    and ONNX, whose operators have names of their own."""
    return not {"kernels", "api", "public", "onnx"}.isdisjoint(path.parts) or path.name == "kernels.py"


def is_text(node) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_export(node) -> bool:
    """Whether a statement is `__all__ = [...]`.

    It lists Python names, which may happen to be names of ops (Horovod's `Sum`).
    """
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__"


def told(tree):
    """The expressions in which a name says something about an op."""
    exported = {node.value for node in sources.nodes(tree) if is_export(node)}
    for node in sources.nodes(tree):
        if node in exported:
            continue
        yield from (a for d in getattr(node, "decorator_list", ()) if isinstance(d, ast.Call) for a in d.args)
        if isinstance(node, ast.Compare):
            yield from [node.left, *node.comparators]
        elif isinstance(node, ast.Dict):
            yield from (k for k in node.keys if k is not None)
        elif isinstance(node, (ast.Set, ast.Tuple, ast.List)) and all(map(is_text, node.elts)):
            yield from node.elts


def names_in(path: pathlib.Path):
    """(line, name, whether it is a fact) of each op name in a file."""
    tree = sources.tree(path)
    facts = set(told(tree))
    for node in sources.nodes(tree):
        if is_text(node) and node.value in REGISTRY:
            yield node.lineno, node.value, node in facts


def test_facts_about_ops_stand_in_records():
    files = [path for path in sorted(PACKAGE.rglob("*.py")) if not is_left_out(path.relative_to(PACKAGE))]
    facts = [f"{path}:{line}: {name}" for path in files for line, name, fact in sorted(names_in(path)) if fact]
    shown = "\n".join(facts)
    assert len(facts) <= MOST_FACTS, f"{len(facts)} op names outside of records say something about ops:\n{shown}"
    assert len(facts) == MOST_FACTS, f"fewer than before: set MOST_FACTS to {len(facts)}"
