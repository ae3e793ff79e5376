"""Large inputs through `tf.data`: memory stays bounded, and the last elements come as fast as the first.
`make data-scale`.

    python -m tools.data_scale elements    10 million numbers: map, shuffle, batch, prefetch
    python -m tools.data_scale records     a TFRecord file of 5 GB, which is written first
    python -m tools.data_scale files       200,000 small files, which are written first

Without a name all parts run, each in a process of its own. Files are made below `--folder` (by default the system's
folder for temporary files) and removed again. Each part prints a line for every tenth of its elements, and ends with
status 1 if what it read is wrong, if memory has grown by more than 64 MB since the first tenth, or if the rate is not
constant: the median tenth of the second half must not take half as long again as that of the first half, neither by the
clock nor in processor time. Medians, since other programs may run on this machine. `--share 0.01` runs a hundredth of
everything.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import reflow as tf

TENTHS = 10
# MB: less than one part in a hundred of what passes through, more than what allocators keep for themselves
MOST_GROWTH = 64
MOST_SLOWER = 1.5  # times that the second half may take of the first
RECORD = bytes(range(256)) * 400  # 102,400 bytes


def resident() -> float:
    """MB of memory that this process has now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


class Watch:
    """Prints how far a part is, and remembers the rate and the memory of every tenth."""

    def __init__(self, name: str, total: int):
        self.name, self.total = name, total
        self.seconds: list[float] = []  # by the clock
        self.processor: list[float] = []  # seconds of its time
        self.memory: list[float] = []
        self.start = self.last = time.perf_counter()
        self.spent = time.process_time()

    def note(self, done: int) -> None:
        """So many elements were read."""
        if done < self.total * (len(self.seconds) + 1) / TENTHS:
            return
        self.seconds.append(time.perf_counter() - self.last)
        self.processor.append(time.process_time() - self.spent)
        rate = self.total / TENTHS / self.seconds[-1]
        self.memory.append(resident())
        self.last, self.spent = time.perf_counter(), time.process_time()
        print(
            f"{self.name}: {done:>11,} of {self.total:,}  {rate:>11,.0f} a second  {self.memory[-1]:>6.0f} MB",
            flush=True,
        )

    def verdict(self) -> bool:
        """Whether memory was bounded and the rate constant; printed too."""
        growth = max(self.memory) - self.memory[0]
        clock, processor = _slowdown(self.seconds), _slowdown(self.processor)
        rates = f"second half {clock:.2f} x the first by the clock, {processor:.2f} x in processor time"
        found = f"memory +{growth:.0f} MB since the first tenth, {rates}"
        print(f"{self.name}: {self.last - self.start:.1f} s, {found}", flush=True)
        return growth < MOST_GROWTH and max(clock, processor) < MOST_SLOWER


def _slowdown(seconds: list[float]) -> float:
    """The median tenth of the second half, as a multiple of that of the first half."""
    middle = len(seconds) // 2
    return statistics.median(seconds[middle:]) / statistics.median(seconds[:middle])


def read(name: str, batches: Iterable[Any], total: int, expected: int) -> bool:
    """Read batches of numbers and compare their sum."""
    watch, done, found = Watch(name, total), 0, 0
    for batch in batches:
        done += len(batch)
        found += int(tf.reduce_sum(batch))
        watch.note(done)
    right = (done, found) == (total, expected)
    if not right:
        print(f"{name}: {done:,} elements with the sum {found:,}; {total:,} and {expected:,} were expected")
    return watch.verdict() and right


def elements(share: float, folder: Path) -> bool:
    total = int(10_000_000 * share)
    dataset = tf.data.Dataset.range(total).map(
        lambda x: x * 2 + 1
    ).shuffle(10_000, seed=1).batch(256).prefetch(tf.data.AUTOTUNE)
    return read("elements", dataset, total, total * total)


def records(share: float, folder: Path) -> bool:
    total = int(5e9 * share) // len(RECORD)
    path = str(folder / "large.tfrecord")
    with tf.io.TFRecordWriter(path) as writer:
        for _ in range(total):
            writer.write(RECORD)
    print(f"records: wrote {os.path.getsize(path) / 1e9:.2f} GB", flush=True)
    dataset = tf.data.TFRecordDataset(path).map(tf.strings.length, num_parallel_calls=tf.data.AUTOTUNE).batch(64)
    return read("records", dataset.prefetch(tf.data.AUTOTUNE), total, total * len(RECORD))


def files(share: float, folder: Path) -> bool:
    total = int(200_000 * share)
    for i in range(total):
        place = folder / f"{i // 1000:03d}"
        if i % 1000 == 0:
            place.mkdir()
        (place / f"{i:06d}.txt").write_bytes(b"x" * (i % 10))
    print(f"files: wrote {total:,}", flush=True)
    names = tf.data.Dataset.list_files(f"{folder}/*/*.txt", seed=1)
    lengths = names.map(lambda name: tf.strings.length(tf.io.read_file(name)), num_parallel_calls=tf.data.AUTOTUNE)
    return read("files", lengths.batch(256).prefetch(tf.data.AUTOTUNE), total, sum(i % 10 for i in range(total)))


PARTS = {"elements": elements, "records": records, "files": files}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=PARTS)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--folder", help="where files are made")
    given = parser.parse_args()
    if given.part is None:
        return max(
            subprocess.run([sys.executable, "-m", "tools.data_scale", part, *sys.argv[1:]]).returncode for part in PARTS
        )
    folder = Path(tempfile.mkdtemp(dir=given.folder))
    try:
        return not PARTS[given.part](given.share, folder)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
