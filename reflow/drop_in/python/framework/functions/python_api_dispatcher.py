"""`tensorflow.python.framework._pywrap_python_api_dispatcher`.

Type checks of arguments, and a function's dispatch targets.
"""

from reflow.api.type_checkers import MakeInstanceChecker as MakeInstanceChecker
from reflow.api.type_checkers import MakeListChecker as MakeListChecker
from reflow.api.type_checkers import MakeUnionChecker as MakeUnionChecker
from reflow.api.type_checkers import MatchType as MatchType
from reflow.api.type_checkers import PySignatureChecker as PySignatureChecker
from reflow.api.type_checkers import PyTypeChecker as PyTypeChecker
from reflow.api.type_checkers import register_dispatchable_type as register_dispatchable_type

NO_MATCH, MATCH, MATCH_DISPATCHABLE = MatchType


class PythonAPIDispatcher:
    """The dispatch targets of a function with some parameters, the last of which have defaults."""

    def __init__(self, api_name, arg_names, defaults):
        self._name, self._parameters = api_name, list(arg_names)
        self._defaults = dict(zip(self._parameters[len(self._parameters) - len(defaults) :], defaults, strict=True))
        self._targets = []

    def Register(self, signature_checker, func):
        """Let a function take the calls that fit a signature."""
        self._targets.append((signature_checker, func))

    def Unregister(self, func):
        """Undo all registrations of a function."""
        self._targets = [(checker, target) for checker, target in self._targets if target is not func]

    def Dispatch(self, args, kwargs):
        """What the target returns whose signature fits; NotImplemented if there is none."""
        values = self._canonical(args, kwargs or {})
        fitting = []
        for checker, target in self._targets:
            if target not in fitting and checker.CheckCanonicalizedArgs(values):
                fitting.append(target)
        if len(fitting) > 1:
            raise ValueError(
                f"Multiple dispatch targets that were registered with tf.dispatch_for ({fitting[0]} and {fitting[1]}) "
                f"match the arguments to {self._name}"
            )
        return fitting[0](*args, **(kwargs or {})) if fitting else NotImplemented

    def _canonical(self, args, kwargs):
        """The arguments in the order of the parameters."""
        if len(args) > len(self._parameters):
            raise TypeError(f"Too many arguments were given. Expected {len(self._parameters)} but got {len(args)}.")
        given = dict(zip(self._parameters, args, strict=False))
        for name, value in kwargs.items():
            if name in given:
                raise TypeError(f"Got multiple values for argument '{name}'")
            if name not in self._parameters:
                raise TypeError(f"Got an unexpected keyword argument '{name}'")
            given[name] = value
        given = self._defaults | given
        if len(given) < len(self._parameters):
            raise TypeError("Missing required positional argument")
        return [given[name] for name in self._parameters]

    def __repr__(self):
        return f"<Dispatch({self._name}): " + "".join(f"{checker} -> {target}" for checker, target in self._targets)
