"""Makes the host's allocator keep memory that programs free.

XLA allocates the buffers of a step when it begins and frees them when it ends. glibc returns large ones to the system
at once, so the next step takes a page fault for each 4 KB of them. These were half of the time of many training steps
(2 cores; TensorFlow allocates op by op and has none):

    step                          page faults    ms before    ms now    TensorFlow
    small MobileNet, batch 32          10,500         22.3      14.2          27.2
    UNet 64x64, batch 8                10,200         35.2      24.8          38.9
    Transformer 4x128, batch 16        17,500         45.1      30.0          50.1
    MobileNetV2 96x96, batch 16        40,200        103.4      67.9         115.4

So glibc's limits are fixed. Arrays below MAPPED come from the heap, and the heap keeps up to KEPT free bytes at its
end. A larger array still has its own mapping, which is released when it is freed, so a model of many gigabytes leaves
no holes in the heap. `MALLOC_*` and `GLIBC_TUNABLES` take precedence.

A machine with few processors gets two heaps for all threads (ARENAS). With more heaps the page faults are back, since
only the first may hold arrays above 64 MB. With one, threads wait for its lock (UNet 32.5 ms, with two 29.9). With many
processors XLA compiles in as many threads, and two heaps make them wait: on 16 processors with an H200 the first epoch
of an LSTM took 12.9 s instead of 6.5, that of an MLP 10.0 instead of 5.0, and no page fault was saved. There glibc
chooses.
"""

from __future__ import annotations

import os

KEPT = 512 << 20
MAPPED = 256 << 20
MAPPED_BEFORE = 32 << 20  # the most that old versions of glibc accept
ARENAS = 2
FEW_PROCESSORS = 4

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8


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
    mapped = mallopt(_M_MMAP_THRESHOLD, MAPPED) or mallopt(_M_MMAP_THRESHOLD, MAPPED_BEFORE)
    kept = mapped and mallopt(_M_TRIM_THRESHOLD, KEPT)
    if (os.cpu_count() or 1) <= FEW_PROCESSORS:
        kept = kept and mallopt(_M_ARENA_MAX, ARENAS)
    return bool(kept)
