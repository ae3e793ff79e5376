"""The host's allocator keeps the memory that programs free.

XLA allocates the buffers of a step when it begins and frees them when it ends. Whether glibc then gives the pages back to the system depends
on sizes that were freed earlier: of six equal processes that trained a CNN on two devices, two took 2,000 page faults a step, and 17 ms
for it instead of 12. So both of its limits are fixed: it gives back what is freed at the end of a heap if that is more than KEPT, and maps
arrays of more than MAPPED by themselves, which go when they are freed, as before. `MALLOC_*` and `GLIBC_TUNABLES` have the last word.
"""

from __future__ import annotations

import os

KEPT = 256 << 20
MAPPED = 32 << 20  # the most that glibc takes

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3


def keep_freed_memory() -> bool:
    """Fix the limits of glibc's allocator; whether that was done. Other C libraries have none."""
    chosen = any(name.startswith("MALLOC_") for name in os.environ) or "malloc" in os.environ.get("GLIBC_TUNABLES", "")
    if chosen or "CS_GNU_LIBC_VERSION" not in os.confstr_names:
        return False
    import ctypes

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(mallopt(_M_MMAP_THRESHOLD, MAPPED) and mallopt(_M_TRIM_THRESHOLD, KEPT))
