"""Elements as plain data, the same for TensorFlow's tensors and Reflow's."""

import itertools


def plain(x):
    """A nested structure of tensors as JSON can hold it: each tensor as [dtype, shape, values]."""
    if x is None:
        return None
    if isinstance(x, dict):
        return {k: plain(x[k]) for k in sorted(x)}
    if isinstance(x, tuple):
        return {"tuple": [plain(v) for v in x]}
    array = x.numpy()
    values = array.tolist() if hasattr(array, "tolist") else array
    return [x.dtype.name, list(x.shape), _text(values)]


def _text(x):
    if isinstance(x, list):
        return [_text(v) for v in x]
    return repr(x) if isinstance(x, (bytes, complex)) else x


def elements_of(iterable, limit):
    return [plain(x) for x in itertools.islice(iterable, limit)]
