"""Writes the compiler's intermediate results to files: `REFLOW_DUMP=folder python -m reflow program.py`.

For each function there is a numbered file per stage: the schedule, the result of each pass (`partition.PASSES`), and
for each program its jaxpr and XLA's HLO. Getting the HLO compiles the program once more.
"""

from __future__ import annotations

import itertools
import os
import pathlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax

from reflow.ops.xp.xla.base import wide_types

if TYPE_CHECKING:
    from reflow.compile.partition import Partition
    from reflow.compile.region import Region

FOLDER = os.environ.get("REFLOW_DUMP")
_numbers = itertools.count(1)


def after_pass(draft: Partition, name: str) -> None:
    """Write the state after a partitioning pass."""
    if FOLDER:
        _write(f"{draft.schedule.graph.name}-{name}", _text(draft))


def program(region: Region, function: Callable, arguments: Sequence[Any]) -> None:
    """Write a region's newly built program."""
    name = f"program-of-{len(region.instructions)}"
    with wide_types():
        _write(f"{name}-jaxpr", str(jax.make_jaxpr(function)(*arguments)))
        _write(f"{name}-hlo", jax.jit(function, donate_argnums=0).lower(*arguments).compile().as_text())


def _text(draft: Partition) -> str:
    groups = {i: n for n, (_, group) in enumerate(draft.groups, 1) for i in group}
    lines = [f"inputs {draft.schedule.inputs} outputs {draft.schedule.outputs}"]
    for n, instruction in enumerate(draft.schedule.instructions):
        facts = ["host" if n < len(draft.on_host) and draft.on_host[n] else ""]
        facts.append(f"after {sorted(draft.before[n])}" if n < len(draft.before) and draft.before[n] else "")
        facts.append(f"step {groups[n]}" if n in groups else "")
        lines.append("  ".join(filter(None, [f"{n:4} {instruction!r}", *facts])))
    return "\n".join(lines)


def _write(name: str, text: str) -> None:
    folder = pathlib.Path(str(FOLDER))
    folder.mkdir(parents=True, exist_ok=True)
    safe = "".join(c if c.isalnum() or c in "-_" else "_" for c in name)
    (folder / f"{next(_numbers):04}-{safe}.txt").write_text(text + "\n")
