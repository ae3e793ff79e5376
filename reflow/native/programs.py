"""Keeps compiled programs in the user's cache folder, so that the next run need not compile them again.

JAX has such a cache: files named after a digest of the program, of XLA's flags and of JAX's version; a size limit with
least-recently-used eviction; a lock for several processes. It is enabled here, in a folder that belongs to this user
alone (`cache.py`: its contents run with the user's rights). The folder's name contains the processor and the version of
our kernels, which the digest omits.

A user who has chosen a folder for JAX's cache keeps it. `REFLOW_PROGRAMS` names another folder; `REFLOW_PROGRAMS=0`
keeps nothing.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import filelock  # noqa: F401 - JAX locks the folder with it, and refuses a limit without it
import jax

from reflow.native.build import FLAGS, machine_key
from reflow.native.cache import Cache, NoCache, candidates

VARIABLE = "REFLOW_PROGRAMS"
MOST_BYTES = 1 << 30  # a step of MobileNetV2 takes 0.9 MB
LEAST_SECONDS = 0.1  # a program that compiles faster is not kept: reading it takes 10 to 20 ms
_WRITING_SECONDS = 60.0  # longer than writing a program and its access time takes


def keep() -> None:
    """Enable JAX's cache of compiled programs, unless the user has configured or disabled it.

    Called before the first compilation.
    """
    if jax.config.jax_compilation_cache_dir is not None or not jax.config.jax_enable_compilation_cache:
        return
    folder = _folder()
    if folder is None:
        return
    remove_unfinished(folder)
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_compilation_cache_max_size", MOST_BYTES)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", LEAST_SECONDS)


def _folder() -> Path | None:
    """The folder for this machine; None if caching is disabled, or no folder can be trusted."""
    chosen = os.environ.get(VARIABLE)
    if chosen == "0" or not hasattr(os, "geteuid"):
        return None
    for parent in [Path(chosen)] if chosen else candidates():
        with contextlib.suppress(NoCache):
            return Cache(Cache(parent).folder / f"programs-{machine_key(FLAGS)}").folder
    return None


def remove_unfinished(folder: Path) -> None:
    """Remove programs whose writer was killed.

    JAX writes a program and then its access time. A program without a time would make all later writes fail, and would
    be read, truncated, in every run.
    """
    names = set(os.listdir(folder))
    for name in names:
        stem, end, rest = name.rpartition("-cache")
        if end and not rest and f"{stem}-atime" not in names:
            with contextlib.suppress(OSError):  # another process may have removed it
                if time.time() - (folder / name).stat().st_mtime > _WRITING_SECONDS:
                    (folder / name).unlink()
