"""Finds the number of bytes that the arrays of an HDF5 file declare, in a separate process.

The HDF5 library hangs on some damaged files, and crashes on others: a name table that points at itself, a heap without
an end. No thread and no signal can stop it there. So an untrusted file is first opened in a child process with limits
on CPU time and memory. The child reads everything that Keras will read, except large arrays, whose contents need no
searching. This file is also the child's program: it imports nothing of Reflow and takes 0.2 s.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import Any

SECONDS = 2  # of the processor's time, and one for each MiB, up to a minute: 10,000 small arrays are 4 MiB and take two
MEMORY = 4 * 2**30
SMALL = 2**20  # bytes of an array that is read in the child
SIZE = "bytes:"  # prefix of the answer


def declared(path: str, part: str = "", size: int | None = None) -> int:
    """The bytes that all arrays of a file declare, or of the part of a ZIP archive, which has this size. 0 for what is
    no HDF5 file: Keras refuses it.

    Raises:
        ValueError: where the library did not come to an end, or crashed.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        seconds = SECONDS + min((os.path.getsize(path) if size is None else size) // 2**20, 60)
        command = [sys.executable, "-S", "-P", __file__, str(seconds), path, part]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    except OSError:  # no further process: the file is opened here
        return of_file(path, part)
    answer = done.stdout.rpartition(SIZE)[2].strip()
    if done.returncode == 0 and answer.isdigit():
        return int(answer)
    if done.returncode < 0:
        raise ValueError(
            f"The file {path} is damaged: HDF5's library does not come to an end with it, or crashes "
            f"(signal {-done.returncode})."
        )
    return of_file(path, part)


def of_file(path: str, part: str = "") -> int:
    """`declared`, in this process."""
    import io
    import zipfile

    if not part:
        return _total(path)
    with zipfile.ZipFile(path) as archive:
        return _total(io.BytesIO(archive.read(part)))


def _total(file: Any) -> int:
    """The bytes of all datasets in an HDF5 file. Links are not followed."""
    import h5py

    sizes: list[int] = []

    def look(_: str, held: Any) -> None:
        with contextlib.suppress(Exception):
            list(held.attrs.items())
        if hasattr(held, "nbytes"):
            sizes.append(held.nbytes)
            if held.nbytes <= SMALL:
                with contextlib.suppress(Exception):
                    held[()]

    with contextlib.suppress(Exception), h5py.File(file, "r") as arrays:  # Keras tells what is wrong
        look("", arrays)
        arrays.visititems(look)
    return sum(sizes)


def _main() -> None:
    import resource

    seconds = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print(f"{SIZE}{of_file(*sys.argv[2:])}")


if __name__ == "__main__":
    _main()
