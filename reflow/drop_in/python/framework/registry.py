"""`tensorflow.python.framework.registry`: objects by name, with the place that registered each."""

import traceback


class Registry:
    """Names of one kind (gradients, converters…) and what they stand for."""

    def __init__(self, name):
        self._name = name
        self._registry: dict = {}

    def register(self, candidate, name=None):
        """Note an object under a name, by default its `__name__`; KeyError if the name is taken."""
        name = name or candidate.__name__
        if name in self._registry:
            frame = self._registry[name][1]
            raise KeyError(
                f"Registering two {self._name} with name {name!r}! (Previous registration was in {frame.name} "
                f"{frame.filename}:{frame.lineno})"
            )
        self._registry[name] = candidate, traceback.extract_stack(limit=2)[0]

    def list(self):
        """The names of all registered objects."""
        return self._registry.keys()

    def lookup(self, name):
        """The object of a name; LookupError if there is none."""
        name = name.decode() if isinstance(name, bytes) else name
        if name not in self._registry:
            raise LookupError(f"{self._name} registry has no entry for: {name}")
        return self._registry[name][0]
