"""Limits on the sizes that files and other input may declare.

A file of a hundred bytes can declare an image or a constant of a terabyte. Code that reads such a size compares it with
a limit before it allocates memory. A limit has a name and a default; the environment variable of that name overrides
it. Sizes that the program itself requests are limited only by the machine's memory (`room`).
"""

from __future__ import annotations

import os
import resource

#: environment variable -> default in bytes
DEFAULTS = {
    "REFLOW_MAX_IMAGE_BYTES": 2**30,  # a decoded image, all its frames together; TensorFlow's limit for a BMP
    "REFLOW_MAX_CONSTANT_BYTES": 2**31 - 1,  # a constant in a file, and all values that its constants repeat
    # an archive, `.keras` or `.h5` file that unpacks to more than a hundred times its size
    "REFLOW_MAX_UNPACKED_BYTES": 2**28,
    "REFLOW_MAX_RECORD_BYTES": 2**31 - 1,  # one record of a TFRecord file; no message of protobuf is larger
    "REFLOW_MAX_GRAPH_NODES": 10_000_000,  # a function in a file with all that it calls; a number of nodes
}


def room() -> int:
    """Bytes of memory that this process may use: the machine's memory, or what the process' own limit leaves.

    >>> room() > 0
    True
    """
    page, (soft, _) = os.sysconf("SC_PAGE_SIZE"), resource.getrlimit(resource.RLIMIT_AS)
    whole = page * os.sysconf("SC_PHYS_PAGES")
    if soft == resource.RLIM_INFINITY or not os.path.exists("/proc/self/statm"):
        return whole
    with open("/proc/self/statm") as file:
        return min(whole, soft - page * int(file.read().split()[0]))


def limit(name: str) -> int:
    """The value of a limit.

    >>> limit("REFLOW_MAX_IMAGE_BYTES")
    1073741824
    """
    value = os.environ.get(name)
    if value is None:
        return DEFAULTS[name]
    if not value.isdigit():
        raise ValueError(f"The environment variable {name} must be a number. Received: {value!r}")
    return int(value)


def excess(name: str, size: int) -> str | None:
    """The error text for something of `size` bytes that exceeds a limit; None if it does not.

    >>> excess("REFLOW_MAX_IMAGE_BYTES", 2**40)
    '1099511627776 bytes, more than the limit of 1073741824 (the environment variable REFLOW_MAX_IMAGE_BYTES sets it)'
    """
    allowed = limit(name)
    if size <= allowed:
        return None
    return f"{size} bytes, more than the limit of {allowed} (the environment variable {name} sets it)"
