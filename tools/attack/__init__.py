"""Attacks on Reflow: hostile calls, damaged files, faults of the machine, leaks. `make attack` runs them; none may win.

    make attack                                          # all five, a few minutes
    make attack PART=ops COUNT=200000                    # raw ops; continues where it stopped, FRESH=1 starts over
    .venv/bin/python -m tools.attack ops --seed 7 --only Conv2D

- `systematic`: every call of the op table with one input changed, beside TensorFlow (`systematic.py`);
- `ops`: calls of `tf.raw_ops`, recorded from the op table (`calls.py`) and made hostile (`mutations.py`), run in child
  processes with limits on time and memory (`worker.py`, `children.py`), in four modes, beside TensorFlow where it is
  installed (`ops.py`, `judge.py`);
- `files`: files of every format with bytes changed, cut, repeated or taken away (`formats.py`, `files.py`);
- `faults`: kills, full disks, read-only folders, interrupts, forks and threads at the worst moments (`faults.py`);
- `leaks`: memory over many cycles of what programs repeat (`leaks.py`).

A case follows from a seed and a number alone, so that a finding can be repeated. Findings that were fixed are kept in
`tests/attack/regressions.txt` and run in `make test`.
"""
