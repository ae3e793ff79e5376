"""What a file of Reflow may import.

The folders under `reflow/` are *layers*, from the values at the bottom to the package itself at the top. A
file may import from its own layer and from those below it, and this holds anywhere in the file: at the top,
inside a function, under `TYPE_CHECKING`. Where data runs the other way, the lower layer defines an interface
and the upper installs itself.

Two more rules are read from the same syntax trees: XLA programs are pure, so no JAX callback appears
anywhere; and private names of JAX appear nowhere.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import sources

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "reflow"

LAYERS: list[tuple[str, ...]] = [
    ("core", "datasets", "native", "upgrade"),
    ("devices", "tracking"),
    ("ops",),
    ("eager",),
    ("graph",),
    ("runtime",),
    ("compile",),
    ("backends",),
    ("function",),
    ("api",),
    (
        "data", "io", "lookup", "queues", "train", "saved_model", "summary", "distribute", "compat", "estimator",
        "feature_column",
    ),
    # each starts the other: `import tensorflow.keras`, and `reflow.keras` before any other import
    ("drop_in", "keras", "horovod"),
    ("commands",),
    # the namespaces (`tf.compat.v2` is `reflow`), the files directly in reflow/, what is built on both
    ("public", "reflow", "onnx", "engine"),
]
RANK = {folder: rank for rank, folders in enumerate(LAYERS) for folder in folders}
TOP = "reflow"

CALLBACKS = {"io_callback", "pure_callback", "host_callback"}
DEBUG_CALLBACKS = {"callback", "print"}  # of jax.debug

FILES = sorted(PACKAGE.rglob("*.py"))


def layer_of(module: str) -> str:
    """The layer of a dotted module name: `reflow.core.dtypes` -> `core`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in RANK else TOP


def module_of(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer_of_file(file: Path) -> str:
    parts = file.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else TOP


MODULES = {module_of(file): file for file in FILES}


def absolute(node: ast.ImportFrom, package: str) -> str:
    """The module a `from … import` names, with leading dots resolved against the file's package."""
    if not node.level:
        return node.module or ""
    base = package.split(".")[: len(package.split(".")) - node.level + 1]
    return ".".join([*base, node.module] if node.module else base)


def imported_modules(tree: ast.AST, package: str) -> Iterator[tuple[int, str]]:
    """(line, module) of every import of Reflow's own modules, `importlib.import_module("…")` included."""
    for node in sources.nodes(tree):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = absolute(node, package)
            found = [f"{base}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and last_name(node.func) in ("import_module", "__import__"):
            found = [str(arg.value) for arg in node.args[:1] if isinstance(arg, ast.Constant)]
        else:
            continue
        yield from ((node.lineno, name) for name in found if name.split(".")[0] == "reflow")


def upward_imports(tree: ast.AST, layer: str, package: str) -> list[str]:
    return [
        f"line {line}: {layer}/ imports {module}, which lies above it"
        for line, module in imported_modules(tree, package)
        if RANK[layer_of(module)] > RANK[layer]
    ]


def callbacks(tree: ast.AST) -> list[str]:
    """Uses of JAX's callbacks, by any name they can be reached by."""
    found = []
    for node in sources.nodes(tree):
        if isinstance(node, ast.ImportFrom):
            debug = (node.module or "").endswith("debug") and (node.module or "").startswith("jax")
            bad = {a.name for a in node.names} & (CALLBACKS | (DEBUG_CALLBACKS if debug else set()))
        elif isinstance(node, ast.Attribute):
            debug = last_name(node.value) == "debug"
            bad = {node.attr} & (CALLBACKS | (DEBUG_CALLBACKS if debug else set()))
        else:
            continue
        found += [f"line {node.lineno}: {name}" for name in sorted(bad)]
    return found


def jax_aliases(tree: ast.AST) -> set[str]:
    """Names that an import binds to something of JAX's."""
    bound = set()
    for node in sources.nodes(tree):
        if isinstance(node, ast.Import):
            bound |= {a.asname or a.name.split(".")[0] for a in node.names if is_jax(a.name)}
        elif isinstance(node, ast.ImportFrom) and not node.level and is_jax(node.module or ""):
            bound |= {a.asname or a.name for a in node.names}
    return bound


def is_jax(module: str) -> bool:
    return module.split(".")[0] in ("jax", "jaxlib")


def is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def private_jax(tree: ast.AST) -> list[str]:
    """Imports of, and attribute chains through, private names of JAX."""
    aliases = jax_aliases(tree)
    found = []
    for node in sources.nodes(tree):
        if isinstance(node, ast.Import):
            paths = [a.name for a in node.names if is_jax(a.name)]
        elif isinstance(node, ast.ImportFrom) and not node.level and is_jax(node.module or ""):
            paths = [f"{node.module}.{a.name}" for a in node.names]
        elif isinstance(node, ast.Attribute) and is_private(node.attr) and root_name(node) in aliases:
            paths = [ast.unparse(node)]
        else:
            continue
        found += [f"line {node.lineno}: {path}" for path in paths if any(map(is_private, path.split(".")))]
    return found


def last_name(node: ast.expr) -> str:
    """`c` of `a.b.c`."""
    return getattr(node, "attr", getattr(node, "id", ""))


def root_name(node: ast.expr) -> str | None:
    """`a` of `a.b.c`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def in_every_file(check) -> list[str]:
    """Runs `check(tree, file)` over the package; one line per finding, with the file's name."""
    return [
        f"{file.relative_to(ROOT)}: {finding}"
        for file in FILES
        for finding in check(sources.tree(file), file)
    ]


def package_of(file: Path) -> str:
    module = module_of(file)
    return module if file.name == "__init__.py" else module.rpartition(".")[0]


def test_every_folder_is_a_layer():
    folders = {layer_of_file(file) for file in FILES}
    assert folders == set(RANK), (
        "a new folder needs its place in LAYERS and in docs/layout.md, one that is gone leaves both"
    )


def test_imports_point_downwards():
    wrong = in_every_file(lambda tree, file: upward_imports(tree, layer_of_file(file), package_of(file)))
    assert not wrong, "\n".join(wrong)


def imports_when_loaded(tree: ast.Module, package: str) -> Iterator[tuple[str, bool]]:
    """(module, whether a name in it is imported) of the imports that run when a module is loaded."""
    statements: list[ast.AST] = list(tree.body)
    while statements:
        node = statements.pop()
        if isinstance(node, ast.ImportFrom):
            base = absolute(node, package)
            for alias in node.names:
                is_module = f"{base}.{alias.name}" in MODULES
                yield (f"{base}.{alias.name}" if is_module else base), not is_module
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            statements += node.orelse
        elif isinstance(node, ast.stmt) and not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            statements += ast.iter_child_nodes(node)


def cycles(edges: dict[str, set[str]]) -> list[set[str]]:
    """Sets of modules of which each can be reached from each other one."""
    reached = {}
    for start in edges:
        seen, queue = set(), [start]
        while queue:
            new = edges.get(queue.pop(), set()) - seen
            seen |= new
            queue += new
        reached[start] = seen
    found = {
        frozenset(m for m in reached[start] if start in reached.get(m, ())) for start in edges
        if start in reached[start]
    }
    return [set(cycle) for cycle in found]


#: `trackable` imports `wrapping` at its end, when its own names are there
CYCLES_THAT_WORK = [{"reflow.tracking.trackable", "reflow.tracking.wrapping"}]


def test_modules_that_import_each_other_do_not_import_names():
    """So it does not matter which of them is loaded first: a module that is half loaded lacks names."""
    edges: dict[str, set[str]] = {}
    names = set()
    for module, file in MODULES.items():
        for imported, by_name in imports_when_loaded(sources.tree(file), package_of(file)):
            edges.setdefault(module, set()).add(imported)
            if by_name:
                names.add((module, imported))
    wrong = [c for c in cycles(edges) if c not in CYCLES_THAT_WORK and any(a in c and b in c for a, b in names)]
    assert not wrong


def test_no_callbacks():
    wrong = in_every_file(lambda tree, file: callbacks(tree))
    assert not wrong, "\n".join(wrong)


def test_no_private_names_of_jax():
    wrong = in_every_file(lambda tree, file: private_jax(tree))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("source", "upward"),
    [
        ("import reflow.core.dtypes", False),
        ("from reflow.ops import opdef", False),
        ("from . import registry", False),
        ("from ..core import dtypes", False),
        ("import numpy", False),
        ("import reflow", True),
        ("from reflow import add", True),
        ("from reflow import eager", True),
        ("from ..graph import ir", True),
        ("from .. import eager", True),
        ("def f():\n    from reflow.eager.tape import Tape", True),
        ("import importlib\nimportlib.import_module('reflow.api.math.arithmetic')", True),
    ],
)
def test_the_import_rule_fires(source, upward):
    assert bool(upward_imports(ast.parse(source), "ops", "reflow.ops")) is upward


@pytest.mark.parametrize(
    ("source", "uses"),
    [
        ("'no io_callback here'", False),
        ("logging.debug('callback')", False),
        ("from jax.experimental import io_callback", True),
        ("jax.pure_callback(f, x)", True),
        ("jax.debug.callback(f)", True),
        ("jax.debug.print('x')", True),
        ("from jax.debug import callback", True),
    ],
)
def test_the_callback_rule_fires(source, uses):
    assert bool(callbacks(ast.parse(source))) is uses


@pytest.mark.parametrize(
    ("source", "uses"),
    [
        ("import jax\njax.__version__\njax.lax.add", False),
        ("self._src", False),
        ("from jax._src import core", True),
        ("import jax._src.core", True),
        ("import jax\njax._src.config", True),
        ("from jax import lax\nlax._convert_element_type", True),
        ("import jax.numpy as jnp\njnp.linalg._x.y", True),
    ],
)
def test_the_private_rule_fires(source, uses):
    assert bool(private_jax(ast.parse(source))) is uses
