"""The child process of the attack on ops: performs cases one after the other and writes a line for each.

    python -m tools.attack.worker reflow calls.pickle '{"seed": 7, "first": 0, "count": 1000, …}'

It writes `> 17` before case 17, so that the parent knows which one killed it, and a line of JSON after it. The same
program runs TensorFlow. Memory is limited by the operating system; the time of a case by the parent.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import json
import os
import pickle
import resource
import signal
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from tools.attack.calls import Call
from tools.attack.mutations import mutated, pick

MODES = ("eager", "first", "second", "jit")
SAMPLE = 32  # numbers of a result that are kept for the comparison


def case(calls: dict[str, list[Call]], seed: int, number: int) -> Call:
    """Case number `number` of a seed: every op gets as many as any other."""
    draw = np.random.default_rng([seed, number])
    names = sorted(calls)
    return mutated(pick(calls[names[number % len(names)]], draw), draw)


def grouped(calls: list[Call], only: str = "") -> dict[str, list[Call]]:
    """Calls by op; `only`: those of ops whose names begin with one of these words."""
    found: dict[str, list[Call]] = {}
    for call in calls:
        if call.op.startswith(tuple(only.split(",")) if only else ""):
            found.setdefault(call.op, []).append(call)
    return found


def attempt(tf: Any, call: Call, modes: tuple[str, ...]) -> dict[str, Any]:
    """What comes of a call in each mode: results in short, or an error."""
    found: dict[str, Any] = {}
    try:
        tensors = call.tensors(tf)
    except Exception as error:  # noqa: BLE001 - an input that cannot be made is no case
        return {"skipped": str(error)[:80]}
    if "eager" in modes:
        found["eager"] = outcome(lambda: call.perform(tf, tensors))
    if "first" in modes or "second" in modes:
        function = tf.function(lambda *ts: call.perform(tf, list(ts)), autograph=False)
        found["first"] = outcome(lambda: function(*tensors))
        if "second" in modes:
            outcome(lambda: function(*tensors))
            found["second"] = outcome(lambda: function(*tensors))
    if "jit" in modes:
        compiled = tf.function(lambda *ts: call.perform(tf, list(ts)), autograph=False, jit_compile=True)
        found["jit"] = outcome(lambda: compiled(*tensors))
    return found


def outcome(run: Callable[[], Any]) -> dict[str, Any]:
    """Results as dtype, shape and some numbers; or class, family and words of an error."""
    try:
        results = run()
        flat = list(_flat(results))
        return {"results": [_short(t) for t in flat]}
    except BaseException as error:  # noqa: BLE001 - whatever comes is what is judged
        if isinstance(error, KeyboardInterrupt):
            raise
        family = [c.__name__ for c in type(error).__mro__]
        return {"error": type(error).__name__, "family": family, "words": str(error)[:400]}


def is_plain(out: dict[str, Any]) -> bool:
    """Whether an error is of a class that TensorFlow's users expect: one of `tf.errors`, or these three themselves."""
    return "OpError" in out["family"] or out["error"] in ("ValueError", "TypeError", "NotImplementedError")


def _flat(results: Any):
    if isinstance(results, (list, tuple)):
        for value in results:
            yield from _flat(value)
    elif results is not None and hasattr(results, "dtype"):
        yield results


def _short(tensor: Any) -> list:
    name = tensor.dtype.name
    if name in ("resource", "variant"):
        return [name, None, None]
    value = np.asarray(tensor if tensor.shape.rank else tensor.numpy())  # no copy: there may be no memory for two
    part = value.ravel()[:SAMPLE]
    if name == "string":
        numbers: list = [s.decode("latin-1")[:40] for s in part.tolist()]
    else:
        wide = part.astype(np.complex128 if value.dtype.kind == "c" else np.float64)
        numbers = [repr(v) for v in wide.tolist()]
    return [name, list(value.shape), numbers]


def limit_memory(more: int) -> None:
    """Let this process use `more` bytes of addresses beyond those it has."""
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + more, used + more))


def tell_where() -> None:
    """Let this process write where it is when its parent asks (`children.py`), and leave no core when it dies.

    `faulthandler.dump_traceback_later` would do so from a thread of its own, which reads the frames of code that runs:
    in one of 200,000 cases that was a signal 11, and every 3 ms it kills any program within seconds.
    """
    faulthandler.register(signal.SIGUSR1, all_threads=False)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    library, path, facts = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # ops that print do not print into the answers
    warnings.simplefilter("ignore")
    tf = importlib.import_module(library)
    with open(path, "rb") as file:
        calls = grouped(pickle.load(file), facts["only"])
    with contextlib.suppress(Exception):
        tf.function(lambda x: x + x, jit_compile=True)(tf.ones([2]))  # threads and arenas, before memory is counted
    limit_memory(facts["memory"])
    tell_where()
    for number in range(facts["first"], facts["last"]):
        call = case(calls, facts["seed"], number)
        modes = MODES if number // len(calls) % facts["every"] == facts["every"] - 1 else MODES[:1]
        modes = tuple(m for m in modes if m in facts["modes"])
        print(f"> {number}", file=out, flush=True)
        found = attempt(tf, call, modes)
        print(json.dumps({"case": number, "op": call.op, "outcomes": found}), file=out, flush=True)


if __name__ == "__main__":
    main()
