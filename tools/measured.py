"""What suites that take too long for `make api` gave when they last ran: `tools/data/measured.json`.

The runners of Keras' and TensorFlow's tests write it when they are asked to (`--record`), and
`tools/api_report.py --page` reads it. A *row* is a folder of tests: how many pass here, of those that pass on
TensorFlow.
"""

from __future__ import annotations

import datetime
import json
from pathlib import Path

FILE = Path(__file__).parent / "data" / "measured.json"


def record(suite: str, rows: dict[str, tuple[int, int]]) -> None:
    """Keep the rows of a suite that were measured now; others stay."""
    known = load()
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    known.setdefault(suite, {}).update(
        {name: [passed, total, today] for name, (passed, total) in rows.items() if total}
    )
    suites = []
    for name in sorted(known):
        listed = ",\n".join(f" {json.dumps(row)}: {json.dumps(counts)}" for row, counts in sorted(known[name].items()))
        suites.append(f"{json.dumps(name)}: {{\n{listed}\n}}")
    FILE.write_text("{\n" + ",\n".join(suites) + "\n}\n")


def load() -> dict[str, dict[str, list]]:
    """{suite: {row: [passed, total, day]}}."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def share(suite: str) -> str:
    """How much of a suite passes, as people write it; never rounded up to all of it.

    >>> share("Keras")[-1]
    '%'
    """
    rows = load()[suite].values()
    passed, total = sum(row[0] for row in rows), sum(row[1] for row in rows)
    return f"{100 * passed // total}%" if 100 * passed / total < 99 else f"{int(1000 * passed / total) / 10}%"


def section(suite: str, about: str) -> list[str]:
    """The part of a page about a suite: a sentence and a table."""
    rows = load()[suite]
    passed, total = sum(row[0] for row in rows.values()), sum(row[1] for row in rows.values())
    days = sorted({row[2] for row in rows.values()})
    measured = days[0] if len(days) == 1 else f"between {days[0]} and {days[-1]}"
    table = [f"| {name} | {p} | {t} | {100 * p // t}% |" for name, (p, t, _) in rows.items()]
    return [
        f"## {suite}' own tests" if suite.endswith("s") else f"## {suite}'s own tests",
        "",
        f"{passed} of {total} tests that pass on TensorFlow pass here ({share(suite)}), measured {measured}. {about}",
        "",
        "| folder | pass | of | |",
        "|---|---:|---:|---:|",
        *table,
        "",
    ]
