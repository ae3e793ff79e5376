"""Every dependency that `pyproject.toml` declares is imported somewhere in the package, and nothing else is."""

import ast
import functools
import re
import sys
import tomllib

from tests import ROOT, sources

#: distribution -> the module by which it is imported, where that is not its name
MODULES = {
    "diastatic-malt": "malt",
    "pillow": "PIL",
    "protobuf": "google.protobuf",
    "google-crc32c": "google_crc32c",
    "google-re2": "re2",
    "grpcio": "grpc",
}
#: imported, and brought by jax and keras
BROUGHT = {"absl", "jaxlib", "opt_einsum"}
#: the user's affair: `tf.keras.wrappers` and clients of clusters ask for them, with an error that says so
ASKED_FOR = {"onnx", "sklearn", "kubernetes", "googleapiclient", "google.auth"}
#: of Python itself, from 3.14 on
NEWER = {"annotationlib"}


def declared() -> dict[str, str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = [re.match(r"[\w-]+", line)[0] for line in project["dependencies"]]
    return {name: MODULES.get(name, name.replace("-", "_")) for name in names}


@functools.cache
def imported() -> set[str]:
    """Modules that the package imports, with the first part of their name (two for `google.protobuf`)."""
    found = set()
    for file in sources.files():
        for node in sources.nodes(sources.tree(file)):
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(node.module)
                found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return {".".join(name.split(".")[: 2 if name.startswith("google.") else 1]) for name in found}


def test_what_is_declared_is_used():
    used = imported()
    assert [name for name, module in declared().items() if module not in used] == []


def test_what_is_used_is_declared():
    known = (
        set(declared().values()) | BROUGHT | set(sys.stdlib_module_names) | NEWER | ASKED_FOR | {"reflow", "tensorflow"}
    )
    assert sorted(name for name in imported() if name not in known) == []
