"""ONNX' own node tests on Reflow: `make onnx-tests`.

The package `onnx` brings some 1,900 models of one node each, with inputs and outputs (`onnx.backend.test`). Those that
do not pass are listed in `tests/onnx/node_failures.txt`, with a reason each; the list only shrinks: a test that passes
loses its line (`--update` writes the file anew, keeping the reasons).
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
import warnings

import numpy as np

FAILURES = pathlib.Path(__file__).parent.parent / "tests" / "onnx" / "node_failures.txt"


def outcome(case) -> str | None:
    """None if a case passes, otherwise what went wrong, in one line."""
    from reflow.onnx.model import OnnxModel

    try:
        model = OnnxModel(case.model)
        for inputs, outputs in case.data_sets:
            results = model.run([array(value) for value in inputs])
            if len(results) != len(outputs):
                return f"{len(results)} outputs instead of {len(outputs)}"
            for result, expected in zip(results, outputs):
                compare(result, array(expected), case.rtol, case.atol)
    except Exception as error:  # noqa: BLE001 - whatever it is, the test does not pass
        return " ".join(f"{type(error).__name__}: {error}".split())[:160]
    return None


def array(value):
    """A test's value: an array, a TensorProto, or a list of them."""
    import onnx

    return onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


def compare(result, expected, rtol: float, atol: float) -> None:
    """Raise `AssertionError` unless a result has the expected type, shape and values."""
    if isinstance(expected, list):
        assert len(result) == len(expected), f"a sequence of {len(result)} instead of {len(expected)}"
        for one, other in zip(result, expected):
            compare(one, other, rtol, atol)
        return
    if expected is None:
        assert result is None
        return
    got, expected = np.asarray(result), np.asarray(expected)
    assert got.shape == expected.shape, f"shape {got.shape} instead of {expected.shape}"
    if expected.dtype.kind in "OUST":
        assert [t.decode() for t in got.ravel()] == [str(t) for t in expected.ravel()]
        return
    assert got.dtype == expected.dtype, f"dtype {got.dtype} instead of {expected.dtype}"
    kind = np.complex128 if expected.dtype.kind == "c" else np.float64
    np.testing.assert_allclose(got.astype(kind), expected.astype(kind), rtol=rtol, atol=atol)


def listed() -> dict[str, str]:
    """The tests that do not pass, with reasons."""
    lines = FAILURES.read_text().splitlines() if FAILURES.exists() else []
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pattern", nargs="?", default="", help="a regular expression for the names of tests")
    parser.add_argument("--update", action="store_true", help="write the list of failures anew")
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # onnx' generators overflow on purpose
    from onnx.backend.test.loader import load_model_tests

    cases = [c for c in load_model_tests(kind="node") if re.search(args.pattern, c.name)]
    found = {}
    for number, case in enumerate(cases, 1):
        why = outcome(case)
        if why is not None:
            found[case.name] = why
        if sys.stderr.isatty():
            print(f"\r{number} of {len(cases)}, {len(found)} do not pass", end="", file=sys.stderr)
    known = listed()
    new = {name: why for name, why in found.items() if name not in known}
    fixed = [c.name for c in cases if c.name in known and c.name not in found]
    print(f"{len(cases) - len(found)} of {len(cases)} pass ({(len(cases) - len(found)) / max(len(cases), 1):.1%})")
    print("\n".join([*(f"new: {name}: {why}" for name, why in new.items()), *(f"fixed: {name}" for name in fixed)]))
    if args.update and not args.pattern:
        head = "# ONNX' node tests that do not pass, and why (`make onnx-tests`); this list only shrinks.\n"
        FAILURES.write_text(head + "".join(f"{name}: {known.get(name, why)}\n" for name, why in sorted(found.items())))
        return 0
    return 1 if new or fixed else 0


if __name__ == "__main__":
    sys.exit(main())
