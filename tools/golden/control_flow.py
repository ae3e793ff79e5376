"""Record what TensorFlow 2.21 does with the control flow programs: `tests/golden/control_flow.json`.

    make golden ONLY=control_flow
    PYTHON -m tools.golden.control_flow cond_ map_  # only print those whose name begins so

Per program: `eager` and `function`, the observations of three calls (one entry if all are equal); `shapes` and `open`,
the static shapes of the outputs traced with known and unknown sizes; `grads` by order, or the class of the error.
"""

import json
import sys

import tensorflow as tf

from tests.function.control_programs import PROGRAMS
from tests.function.control_table import CALLS, Bench, observe, plain, static_shapes
from tools.golden import GOLDEN

FILE = GOLDEN / "control_flow.json"


def folded(observations) -> list:
    """One observation for all, if they are equal."""
    return observations[:1] if all(o == observations[0] for o in observations) else observations


def record(program) -> dict:
    tf.random.set_seed(0)
    out: dict = {}
    if program.eager:
        bench = Bench(tf, program)
        out["eager"] = folded([observe(bench, bench.call, *bench.tensors) for _ in range(CALLS)])
    tf.random.set_seed(0)
    bench = Bench(tf, program)
    function = bench.function()
    out["function"] = folded([observe(bench, function, *bench.tensors) for _ in range(CALLS)])
    out["shapes"] = static_shapes(bench, True)
    if program.args and program.open_shapes:
        out["open"] = static_shapes(bench, False)
    for order in range(1, program.grad + 1):
        bench = Bench(tf, program)
        function = bench.function()
        try:
            found = bench.gradients(bench.tensors, order, function)
        except Exception as error:  # a program without such a gradient; the class is what is compared
            out[f"grads{order}"] = type(error).__name__
            print(f"{program.name}: no gradient of order {order}: {type(error).__name__}: {str(error)[-300:]}")
        else:
            out[f"grads{order}"] = [None if g is None else plain(g) for g in found]
    return out


def main():
    wanted = tuple(sys.argv[1:])
    records = {p.name: record(p) for p in PROGRAMS.values() if not wanted or p.name.startswith(wanted)}
    if wanted:
        for name, value in records.items():
            print(name, json.dumps(value, indent=1))
        return
    lines = [f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in records.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(records)} programs.")


if __name__ == "__main__":
    main()
