"""Run the examples in the docstrings of a package, as Keras 2 runs its own, and print a line for each as pytest does.

    python docstring_examples.py tf_keras.src.layers
"""

import doctest
import importlib
import pkgutil
import sys

import numpy as np
import tensorflow as tf
from tf_keras.src.testing_infra import keras_doctest_lib

FLAGS = (
    doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL | doctest.DONT_ACCEPT_BLANKLINE
)


def modules(package: str):
    """The modules of a package that are no tests."""
    top = importlib.import_module(package)
    yield top
    for found in pkgutil.walk_packages(top.__path__, f"{package}."):
        if "test" not in found.name:
            yield importlib.import_module(found.name)


def main(package: str) -> None:
    names = {"tf": tf, "np": np, "os": importlib.import_module("os")}
    for module in modules(package):
        for test in doctest.DocTestFinder(exclude_empty=True).find(module, extraglobs=names):
            if not test.examples:
                continue
            tf.keras.backend.clear_session()
            tf.keras.utils.set_random_seed(1)
            said: list[str] = []
            runner = doctest.DocTestRunner(
                checker=keras_doctest_lib.KerasDoctestOutputChecker(), verbose=False, optionflags=FLAGS
            )
            failed = runner.run(test, out=said.append).failed
            errors = [line for text in said for line in text.splitlines() if "Error" in line]
            why = (errors or ["other output"])[-1].strip()[:100] if failed else ""
            print(
                f"FAILED {package}.py::{test.name} - {why}" if failed else f"PASSED {package}.py::{test.name}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1])
