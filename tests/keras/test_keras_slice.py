"""A slice of Keras' own tests, from the installed wheel: files that touch much in little time (`make keras-tests` runs
all).

What fails is compared with `tools/data/keras_expected_failures.txt`, in both directions. (Tests that compare with
PyTorch are `missing` here: only `make keras-tests` installs it.)
"""

import importlib.util
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

#: some 700 tests
FILES = [
    "activations/activations_test.py",
    "dtype_policies/dtype_policy_test.py",
    "export/saved_model_test.py",
    "initializers/random_initializers_test.py",
    "layers/attention/attention_test.py",
    "layers/normalization/batch_normalization_test.py",
    "layers/rnn/lstm_test.py",
    "losses/losses_test.py",
    "models/functional_test.py",
    "models/sequential_test.py",
    "ops/core_test.py",
    "optimizers/adam_test.py",
    "saving/serialization_lib_test.py",
]
PROCESSES = 2  # each takes 2 seconds to start


@pytest.fixture(scope="module")
def runner():
    """`tools/keras_tests.py`, which is no package."""
    spec = importlib.util.spec_from_file_location("keras_tests", ROOT / "tools" / "keras_tests.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["keras_tests"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("part", range(PROCESSES))
def test_files(runner, part):
    files = FILES[part::PROCESSES]
    results = runner.run_files(files, stall=120)
    for file in files:
        assert any(t.startswith(file) and r["outcome"] == "passed" for t, r in results.items()), results
    assert not runner.differences(files, results, runner.expected_failures())
