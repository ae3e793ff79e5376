"""`make bench`: how many times as fast as real TensorFlow.

    python bench/run.py --tf-python .bench-venv/bin/python [--only TEXT] [--rounds 15] [--verbose]

Clock times mean nothing on a shared machine, so each row is a *ratio* measured in one run: two workers
(`worker.py`) stay alive, and for each row the driver lets them take samples in turn, one at a time, for
several rounds: fifteen, or as many as begin within half a minute, but at least five. Each group of rows begins
with new workers. The ratio is the median time of the reference (TensorFlow, or plain JAX) over the median of ours, and
its spread the middle half of the ratios of single rounds. Each result is stored in `bench/results.json` when it is
there, and replaces the row's last one, so a run can be interrupted, or do a part; `report.py` makes
`docs/benchmarks.md` of all. The exit status is 1 if a row fails or misses its target.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib.util
import json
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import distribute  # noqa: F401  registers its rows
import engines  # noqa: F401
import jobs  # noqa: F401
import report
import saving  # noqa: F401
import version1  # noqa: F401
from programs import ENVIRONMENT, ROWS, Row

HERE = Path(__file__).parent
FEWEST, SECONDS = 5, 30.0  # rounds that a row takes in any case, and the time after which it begins no more
TOLERANCE = 1e-3  # between the two sides' results: what is timed must be the same program


class WorkerFailed(Exception):
    """A worker answered with an error, or died."""


class Worker:
    """The driver's end of a worker process."""

    def __init__(self, python: str, framework: str, verbose: bool, cpus: int = 1, **environment: str):
        self.framework = framework
        self.process = subprocess.Popen(
            [python, str(HERE / "worker.py"), framework, str(cpus)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if verbose else subprocess.DEVNULL,
            text=True,
            env=os.environ | ENVIRONMENT | environment,
        )

    def ask(self, **request: Any) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        try:
            print(json.dumps(request), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise WorkerFailed(f"the {self.framework} worker ended (run with --verbose)")
        answer = json.loads(line)
        if "error" in answer:
            raise WorkerFailed(f"{self.framework}: {answer['error']}")
        return answer

    def close(self) -> None:
        assert self.process.stdin
        with contextlib.suppress(BrokenPipeError):  # it has ended already
            self.process.stdin.close()
        self.process.wait()


class Side:
    """One of the two programs of a row, in its worker."""

    def __init__(self, worker: Worker, row: Row, kind: str):
        self.worker, self.row, self.kind = worker, row, kind
        ready = worker.ask(do="prepare", row=row.name, **{"as": kind})
        self.values: list[float] = ready["values"]
        self.iterations: int = ready["iterations"]
        self.samples: list[float] = []

    def sample(self) -> None:
        """Adds the time of one unit, in microseconds."""
        request = {"as": self.kind, "iterations": self.iterations}
        seconds = self.worker.ask(do="time", row=self.row.name, **request)["seconds"]
        self.samples.append(seconds / self.iterations / self.row.units * 1e6)

    @property
    def median(self) -> float:
        return statistics.median(self.samples)


def agree(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def spread(reference: list[float], mine: list[float]) -> list[float]:
    """Between which ratios the middle half of the rounds lies."""
    ratios = [theirs / ours for theirs, ours in zip(reference, mine, strict=True)]
    low, _, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    return [round(low, 3), round(high, 3)]


def machine() -> str:
    """The processor, and how many cores of it there are."""
    names = [
        line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores"


def measure(row: Row, theirs: Worker, ours: Worker, rounds: int) -> dict[str, Any]:
    """One row's result: the two sides take samples in turn."""
    kind = {"tensorflow": "program", "jax": "jax", "reflow": "twin", "onnxruntime": "twin"}[row.against]
    reference = Side(theirs if kind == "program" else ours, row, kind)
    mine = Side(ours, row, "program")
    if not all(map(agree, reference.values, mine.values)):
        raise WorkerFailed(f"results differ: {row.against} {reference.values}, reflow {mine.values}")
    begun = time.monotonic()
    for done in range(rounds):
        if done >= FEWEST and time.monotonic() - begun > SECONDS:
            break
        reference.sample()
        mine.sample()
    return {
        "ratio": round(reference.median / mine.median, 3),
        "spread": spread(reference.samples, mine.samples),
        "rounds": len(mine.samples),
        report.REFERENCES[row.against]: round(reference.median, 2),
        "reflow_us": round(mine.median, 2),
    }


def run_row(row: Row, theirs: Worker, ours: Worker, rounds: int) -> dict[str, Any]:
    """As `measure`, but a failure becomes a result without a ratio."""
    result: dict[str, Any] = {"name": row.name, "group": row.group, "target": round(row.target, 3)}
    if row.limit is not None:
        result["limit_us"] = row.limit
    try:
        return result | measure(row, theirs, ours, rounds)
    except WorkerFailed as failure:
        return result | {"ratio": None, "error": str(failure)}


def passed(result: dict[str, Any]) -> bool:
    if result["ratio"] is None:
        return False
    return result["ratio"] >= result["target"] and result["reflow_us"] <= result.get("limit_us", math.inf)


def print_result(result: dict[str, Any]) -> None:
    if result["ratio"] is None:
        print(f"{result['name']:<44}FAILED  {result['error']}", flush=True)
        return
    reference = result[report.REFERENCES[report.reference(result)]]
    verdict = "" if passed(result) else "  below target"
    if "limit_us" in result:
        verdict += f"  (at most {result['limit_us']:g} µs)"
    times = f"{reference:>12,.1f}{result['reflow_us']:>12,.1f}"
    between = "{:.2f}-{:.2f}".format(*result["spread"])
    print(
        f"{result['name']:<44}{times}{result['ratio']:>9.2f}{between:>14}{result['target']:>9.2f}{verdict}", flush=True
    )


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Speed of Reflow against real TensorFlow, as ratios.")
    parser.add_argument("--tf-python", required=True, help="a python that has TensorFlow 2.21")
    parser.add_argument("--only", default="", help="rows whose name or group contains this")
    parser.add_argument("--rounds", type=int, default=15, help="samples per side and row, at most")
    parser.add_argument("--verbose", action="store_true", help="show what the workers print")
    args = parser.parse_args()
    if not shutil.which(args.tf_python):
        parser.error(f"no such python: {args.tf_python} (`make bench` sets one up)")
    return args


@dataclasses.dataclass(frozen=True, order=True)
class Company:
    """What rows have in common that are measured in the same workers."""

    cpus: int
    group: str
    with_jax: bool

    @classmethod
    def of(cls, row: Row) -> Company:
        return cls(row.cpus, row.group, row.against == "jax")

    def environment(self) -> dict[str, str]:
        """With as many threads as cores, plain JAX's exchanges between devices wait for ever."""
        return {"PJRT_NPROC": str(8 * self.cpus)} if self.with_jax and self.cpus > 1 else {}


def run_rows(rows: list[Row], company: Company, args: argparse.Namespace) -> list[dict[str, Any]]:
    """The results of rows that keep company; each is printed and stored when it is there."""
    theirs = Worker(args.tf_python, "tensorflow", args.verbose, company.cpus)
    ours = Worker(sys.executable, "reflow", args.verbose, company.cpus, **company.environment())
    results = []
    try:
        versions = (
            {"processor": machine()} | theirs.ask(do="versions")["versions"] | ours.ask(do="versions")["versions"]
        )
        for row in rows:
            if row.needs and importlib.util.find_spec(row.needs) is None:
                print(f"{row.name:<44}skipped: {row.needs} is not installed", flush=True)
                continue
            results.append(run_row(row, theirs, ours, args.rounds))
            print_result(results[-1])
            report.keep(versions, results[-1])
    finally:
        theirs.close()
        ours.close()
    return results


def main() -> int:
    args = parse_arguments()
    rows = [row for row in ROWS.values() if args.only in row.name or args.only in row.group]
    print(f"{'':<44}{'reference µs':>12}{'reflow µs':>12}{'ratio':>9}{'spread':>14}{'target':>9}")
    results: list[dict[str, Any]] = []
    try:
        for company in sorted(set(map(Company.of, rows))):
            results += run_rows([row for row in rows if Company.of(row) == company], company, args)
    except WorkerFailed as failure:
        print(failure, file=sys.stderr)
        return 2
    report.write(report.kept(set(ROWS)))
    return 0 if all(map(passed, results)) else 1


if __name__ == "__main__":
    sys.exit(main())
