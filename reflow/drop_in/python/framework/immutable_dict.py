"""`tensorflow.python.framework.immutable_dict`: a mapping that nobody changes."""

import collections.abc


class ImmutableDict(collections.abc.Mapping):
    """A mapping with the contents of a dictionary, made once; it has a hash if its values have."""

    def __init__(self, *args, **kwargs):
        self._dict = dict(*args, **kwargs)

    def __getitem__(self, key):
        return self._dict[key]

    def __iter__(self):
        return iter(self._dict)

    def __len__(self):
        return len(self._dict)

    def __hash__(self):
        return hash(tuple(sorted(self._dict.items())))

    def __repr__(self):
        return f"ImmutableDict({self._dict})"
