"""`tensorflow.python.distribute.values`: distributed values that act as the first of them."""

import operator

from reflow.distribute.values import DistributedValues


class DistributedDelegate(DistributedValues):
    """Values of which attributes and operators are those of the value of the running replica."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._get(), name)

    __lt__ = lambda self, other: self._get() < other
    __le__ = lambda self, other: self._get() <= other
    __gt__ = lambda self, other: self._get() > other
    __ge__ = lambda self, other: self._get() >= other
    __getitem__ = lambda self, key: self._get()[key]
    __neg__ = lambda self: -self._get()
    __invert__ = lambda self: ~self._get()
    __abs__ = lambda self: abs(self._get())
    __pow__ = lambda self, other, modulo=None: pow(self._get(), other, modulo)
    __rpow__ = lambda self, other: pow(other, self._get())


def _binary(function):
    return lambda self, other: function(self._get(), other), lambda self, other: function(other, self._get())


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and_", "or_", "xor"):
    _there, _back = _binary(getattr(operator, _name))
    setattr(DistributedDelegate, f"__{_name.strip('_')}__", _there)
    setattr(DistributedDelegate, f"__r{_name.strip('_')}__", _back)
