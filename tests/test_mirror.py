"""The test of `reflow/<folder>/<module>.py` is found by its name: `tests/<folder>/test_<module>.py`."""

from pathlib import Path

from tests import ROOT

#: folders of reflow/ of which every module has its test file
MIRRORED = (
    "api", "commands", "compile", "data", "devices", "distribute", "drop_in", "engine", "io", "lookup", "onnx",
    "runtime", "saved_model", "summary", "tracking", "train",
)  # fmt: skip
#: modules without one, and why; this list may only shrink
EXCEPTIONS = {
    "data/kernels/dataset.py": "its records go through tests/ops/test_table.py, its datasets through "
        "tests/data/test_pipelines.py",
    "data/kernels/optional.py": "its records go through tests/ops/test_table.py",
    "io/kernels/files.py": "its records go through tests/ops/test_table.py",
    "lookup/kernels.py": "its records go through tests/ops/test_table.py",
    "summary/kernels/version1.py": "its records go through tests/ops/test_table.py",
    "summary/kernels/writers.py": "its records go through tests/ops/test_table.py",
}
MOST_EXCEPTIONS = 6


def modules() -> list[str]:
    """The modules of the mirrored folders, relative to reflow/."""
    package = ROOT / "reflow"
    found = [path for folder in MIRRORED for path in (package / folder).rglob("*.py") if path.name != "__init__.py"]
    return sorted(path.relative_to(package).as_posix() for path in found)


def file_of(module: str) -> Path:
    path = Path(module)
    return ROOT / "tests" / path.parent / f"test_{path.name}"


def test_every_module_has_its_test_file():
    missing = [m for m in modules() if not file_of(m).exists() and m not in EXCEPTIONS]
    assert not missing, "\n".join(f"reflow/{m} has no {file_of(m).relative_to(ROOT)}" for m in missing)


def test_exceptions_only_shrink():
    assert len(EXCEPTIONS) <= MOST_EXCEPTIONS
    gone = [m for m in EXCEPTIONS if not (ROOT / "reflow" / m).exists() or file_of(m).exists()]
    assert not gone, f"these are no exceptions any more: {gone}"


def test_a_test_file_tests_something():
    """Each holds a function or a class of tests, a session of expressions or another test that a function made."""
    empty = [m for m in modules() if file_of(m).exists() and "\ndef test" not in (text := file_of(m).read_text())
             and "\ntest_" not in text and "\nclass Test" not in text]  # fmt: skip
    assert not empty


def test_the_page_names_every_folder_of_a_theme():
    """Folders that mirror no folder of the package are explained in tests/README.md."""
    page = (ROOT / "tests" / "README.md").read_text()
    folders = {
        path.parent.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").rglob("test_*.py")
        if path.parent != ROOT / "tests"
    }
    themes = sorted(folder for folder in folders if not (ROOT / "reflow" / folder).is_dir())
    assert [folder for folder in themes if f"`{folder}/" not in page] == []
