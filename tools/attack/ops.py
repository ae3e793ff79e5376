"""The attack on raw ops: cases of a seed run here and, where it is installed, in TensorFlow, and their outcomes judged.

Outcomes are written to `.attack/ops-SEED-ONLY-LIBRARY-FIRST.jsonl` as they come; a run that was stopped continues
behind them.
"""

from __future__ import annotations

import collections
import concurrent.futures
import json
import pickle
import sys
from pathlib import Path
from typing import Any

from tools.attack import calls as calls_module
from tools.attack.calls import has_denormals
from tools.attack.children import answers, shared_out
from tools.attack.judge import problems
from tools.attack.worker import case, grouped

MEMORY = 3 * 2**30  # bytes a child may use beyond what its imports take
SECONDS = 10.0  # for one case, in all its modes


def recorded_calls(folder: Path) -> Path:
    """The file of the op table's calls; it is made at the first run."""
    path = folder / "calls.pickle"
    if not path.exists():
        from tests.ops.table import TABLE

        path.write_bytes(pickle.dumps(calls_module.record(TABLE)))
    return path


def outcomes(
    folder: Path, python: str, library: str, facts: dict[str, Any], jobs: int = 1
) -> dict[int, dict[str, Any]]:
    """What came of all cases, by number; those that an earlier run has done are read from its files,
    one for each process."""
    calls = str(recorded_calls(folder))

    def share(bounds: tuple[int, int]) -> dict[int, dict[str, Any]]:
        start, last = bounds
        name = f"ops-{facts['seed']}-{facts['only'] or 'all'}-{library}-{start}.jsonl"
        path = folder / name.replace(",", "_")
        done = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        found = {answer["case"]: answer for answer in done}
        first = max(found, default=start - 1) + 1
        with open(path, "a") as file:
            for answer in answers(
                [python, "-m", "tools.attack.worker", library, calls], facts | {"first": first, "last": last}
            ):
                found[answer["case"]] = answer
                print(json.dumps(answer), file=file, flush=True)
        return found

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        shares = list(pool.map(share, shared_out(facts["last"], jobs)))
    return {number: answer for found in shares for number, answer in found.items()}


def attack(folder: Path, args: Any) -> int:
    """Run all cases and print a report; how many problems were found that may not be."""
    path = recorded_calls(folder)
    calls = grouped(pickle.loads(path.read_bytes()), args.only)
    facts = {
        "seed": args.seed,
        "only": args.only,
        "first": 0,
        "last": args.count,
        "modes": args.modes.split(","),
        "every": args.every,
        "seconds": SECONDS,
        "memory": MEMORY,
    }
    print(f"seed {args.seed}: {args.count} cases of {len(calls)} ops", flush=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        here = pool.submit(outcomes, folder, sys.executable, "reflow", facts, args.jobs)
        plain = facts | {"modes": ["eager", "first"]}
        there = (
            pool.submit(outcomes, folder, args.tf_python, "tensorflow", plain, args.jobs) if args.tf_python else None
        )
        ours, theirs = here.result(), there.result() if there else {}
    return report(folder, calls, args, ours, theirs)


def report(folder: Path, calls: dict, args: Any, ours: dict, theirs: dict) -> int:
    """Counts by kind, and a line for each case with a problem, with its call in `findings.jsonl`."""
    counts: collections.Counter = collections.Counter()
    names = sorted(calls)
    with open(folder / f"findings-{args.seed}-{args.only.replace(',', '_') or 'all'}.txt", "w") as file:
        for number in sorted(n for n in ours if n < args.count):
            for kind, words in problems(names[number % len(names)], ours[number], theirs.get(number)):
                call = case(calls, args.seed, number)
                if kind in ("silent", "result") and has_denormals(call):
                    kind = "listed"  # TensorFlow's threads round such numbers to zero
                counts[kind] += 1
                changed = {k: v if k in call.attrs else None for k, v in call.attrs.items()}
                print(f"{kind}\t{call.op}\t{args.seed}:{number}\t{words!r}\t{changed}", file=file)
                if kind in ("crash", "hang", "leaked", "silent"):
                    print(f"{kind} {call.op} (case {number}): {words}", flush=True)
    modes: collections.Counter = collections.Counter(m for a in ours.values() for m in a.get("outcomes", ()))
    print(f"{len(ours)} cases ({dict(modes)}), {len(theirs)} of them in TensorFlow: {dict(counts)}")
    return counts["crash"] + counts["hang"] + counts["leaked"] + counts["silent"]
