"""`reflow explain PROGRAM.py`: runs a program, then reports what took its time and what to do about it.

The program runs as under `reflow run`. The report follows its own output: where the time went, then findings, each with
a line of the program and a fix (`findings.py`).
"""

from __future__ import annotations

import argparse
import sys

from reflow import commands
from reflow.commands.watch import Watch


def main(arguments: list[str]) -> int:
    """Run the program and print the report; the exit status is the program's."""
    parser = argparse.ArgumentParser(
        prog="reflow explain",
        description="Run a program, then say what was traced again, what ran on the host, what was compiled, and "
        "whether it waited for its input: with the line and a remedy.",
    )  # fmt: skip
    parser.add_argument("-o", "--output", metavar="FILE", help="write the report to a file instead of standard output")
    parser.add_argument("program", help="as for `reflow run`: a file, -m MODULE, or -c CODE")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="of the program")
    split = next((i for i, word in enumerate(arguments) if word in ("-m", "-c")), len(arguments))
    given = parser.parse_args([*arguments[:split], *(["--"] if split < len(arguments) else []), *arguments[split:]])
    watch, status = Watch(), 0
    try:
        with watch:
            status = commands.run_program([given.program, *given.arguments]) or 0
    except SystemExit as stop:
        if isinstance(stop.code, str):
            print(stop.code, file=sys.stderr)
        status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    text = report(watch, given.program)
    if given.output:
        with open(given.output, "w") as file:
            file.write(text + "\n")
    else:
        sys.stdout.flush()
        print(text)
    return status


def report(watch: Watch, name: str) -> str:
    """The results of a watch, as text."""
    from reflow.commands.findings import findings

    lines = ["", f"reflow explain: {name} ran for {watch.seconds:.2f} s", *_times(watch), ""]
    found = findings(watch)
    for number, finding in enumerate(found, 1):
        lines.append(f"{number}. {finding.where or 'somewhere'}" + (f": {finding.line}" if finding.line else ""))
        lines.extend(f"   {line}" for line in finding.what.split("\n"))
        lines.append(f"   -> {finding.remedy}")
    if not found:
        lines.append(
            "Nothing to mend: no function was traced again and again, nothing slow ran on the "
            "host, and the input kept up."
        )
    return "\n".join(lines)


def _times(watch: Watch) -> list[str]:
    traces, functions = len(watch.traces), len({trace.code for trace in watch.traces})
    inputs = [found for found in watch.inputs if found.reads]
    rows = [
        (
            sum(trace.traced.seconds for trace in watch.traces),
            f"tracing: {_count(traces, 'trace')} of {_count(functions, 'function')}",
        ),
        (watch.compile_seconds, f"compiling: {_count(watch.compiled, 'program')}"),
        (watch.program_seconds, "running functions: programs, and what is interpreted before it is compiled"),
        (watch.host_seconds(), "running functions: ops on the host"),
        (
            sum(found.waited for found in inputs),
            f"waiting for input: {_count(sum(found.reads for found in inputs), 'element')}",
        ),
    ]
    rest = max(watch.seconds - sum(seconds for seconds, _ in rows), 0.0)
    rows.append((rest, "everything else: Python, imports, eager ops"))
    return [f"  {seconds:8.2f} s  {what}" for seconds, what in rows]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
