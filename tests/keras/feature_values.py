"""Results of programs as JSON holds them."""

import numpy as np


def plain(value):
    """Lists, dicts, strings and numbers, out of arrays, tensors and NumPy's scalars."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, bytes):
        return value.decode()
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    return plain(np.asarray(value).tolist())
