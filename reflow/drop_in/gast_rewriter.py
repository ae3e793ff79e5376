"""AutoGraph's rewriter on `gast` trees, for TensorFlow's private modules (`tensorflow.python.autograph.pyct`).

`diastatic-malt`, the rewriter that Reflow uses, works on trees of Python's own `ast`. TensorFlow's works on those of
`gast`, a package whose trees are the same for all Python versions, and extensions of it inspect them. So the modules of
malt are loaded a second time, as `malt_on_gast.…`: the same files, in which `import ast` means `gast_trees` and `malt`
means this second package. Reflow's own function conversion never uses it.

One difference between the trees affects passes: a parameter is a `Name` with the context `Param`, not an `arg`.
`ADAPTED` lists the adaptations.
"""

from __future__ import annotations

import ast
import functools
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Callable
from typing import Any

PACKAGE = "malt_on_gast"
TREES = "reflow.drop_in.gast_trees"


@functools.cache
def package() -> str:
    """The name of the rewriter's package behind TensorFlow's private modules, which can be imported from now on."""
    sys.meta_path.insert(0, _Finder())  # before the finder that searches the folders of packages
    return PACKAGE


def module(name: str) -> types.ModuleType:
    """A module of the rewriter, by its name in the package: `pyct.parser`."""
    return importlib.import_module(f"{package()}.{name}")


class _Imports(ast.NodeTransformer):
    """Redirects the imports of a malt module to the second package."""

    def visit_Import(self, node: ast.Import) -> ast.stmt:
        if [a.name for a in node.names] == ["ast"]:
            return ast.copy_location(ast.Import([ast.alias(TREES, "ast")]), node)
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:
        package, _, rest = (node.module or "").partition(".")
        # what user code calls is recognised by identity: one copy
        if package == "malt" and not rest.startswith("lang"):
            node.module = f"{PACKAGE}.{rest}".rstrip(".")
        return node


class _Loader(importlib.machinery.SourceFileLoader):
    """Runs a malt file as a module of the second package."""

    def get_code(self, fullname: str) -> types.CodeType:
        tree = ast.parse(self.get_data(self.path))
        return compile(ast.fix_missing_locations(_Imports().visit(tree)), self.path, "exec", dont_inherit=True)

    def exec_module(self, module: types.ModuleType) -> None:
        super().exec_module(module)
        if adapt := ADAPTED.get(module.__name__.removeprefix(f"{PACKAGE}.")):
            adapt(module)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of the second package in the folder of malt."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] != PACKAGE:
            return None
        original = importlib.util.find_spec("malt" + fullname.removeprefix(PACKAGE))
        if original is None or original.origin is None:
            return None
        folders = original.submodule_search_locations
        return importlib.util.spec_from_file_location(
            fullname, original.origin, loader=_Loader(fullname, original.origin), submodule_search_locations=folders
        )


# --- parameters are names ---------------------------------------------------------------------------------------------


def _is_parameter(node: Any) -> bool:
    return type(node.ctx).__name__ == "Param"


def _adapt_parser(parser: Any) -> None:
    parser._arg_name = lambda node: None if node is None else node.id


def _adapt_activity(activity: Any) -> None:
    """A parameter is bound in its function; its annotation belongs to the surrounding code."""
    analyzer = activity.ActivityAnalyzer
    track = analyzer._track_symbol

    def _track_symbol(self: Any, node: Any, composite_writes_alter_parent: bool = False) -> None:
        if not _is_parameter(node):
            track(self, node, composite_writes_alter_parent)
        elif not self._track_annotations_only:
            qn = activity.anno.getanno(node, activity.anno.Basic.QN)
            self.scope.bound.add(qn)
            self.scope.mark_param(qn, self.state[activity._FunctionOrClass].node)

    analyzer._track_symbol = _track_symbol


def _visit_parameters_as_args(class_: Any) -> None:
    """A visitor whose `visit_arg` sees the names that are parameters."""
    visit_name = class_.visit_Name
    class_.visit_Name = lambda self, node: (self.visit_arg if _is_parameter(node) else visit_name.__get__(self))(node)


def _adapt_type_inference(type_inference: Any) -> None:
    _visit_parameters_as_args(type_inference.StmtInferrer)


#: adaptations of a module of the second package when it is loaded
ADAPTED: dict[str, Callable[[Any], None]] = {
    "pyct.parser": _adapt_parser,
    "pyct.static_analysis.activity": _adapt_activity,
    "pyct.static_analysis.type_inference": _adapt_type_inference,
}
