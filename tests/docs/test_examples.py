"""Examples in docstrings: every public function and class has one, and all of them print what they say.

`tf.__internal__` is not held to it. Examples that need a GPU or a cluster, or change settings for good, are skipped.
"""

import doctest
import importlib
import inspect
from pathlib import Path

import pytest

import reflow
from reflow import loading
from reflow.api.export import TABLE

PACKAGE = Path(reflow.__file__).parent
MODULES = sorted(
    ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)
    for file in PACKAGE.rglob("*.py")
    if ">>>" in file.read_text() and "keras" not in file.parts  # Keras itself would have to be there
)


def public():
    """(name, object) of the functions and classes of ours, each under its first name."""
    loading.everything()
    seen = set()
    for name, thing in TABLE.items():
        if name.startswith("__internal__.") or not (inspect.isfunction(thing) or inspect.isclass(thing)):
            continue
        if id(thing) not in seen and (thing.__module__ or "").startswith("reflow."):
            seen.add(id(thing))
            yield name, thing


def test_every_public_function_has_an_example():
    assert {name for name, thing in public() if ">>>" not in (thing.__doc__ or "")} == set()


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_print_what_they_say(name):
    module = importlib.import_module(name)
    reports: list[str] = []
    for example in doctest.DocTestFinder(exclude_empty=True).find(module, globs=_names(module)):
        reflow.random.set_seed(3)
        doctest.DocTestRunner().run(example, out=reports.append)
    assert not reports, "".join(reports)


def _names(module) -> dict:
    """What an example sees: `tf`, and its module's names, but compiled as the user's code is,
    whose annotations are no strings."""
    return {name: value for name, value in vars(module).items() if name != "annotations"} | {"tf": reflow}
