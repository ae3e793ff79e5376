"""`tf.CriticalSection`, `tf.tuple`, and other small helpers for running ops."""

from __future__ import annotations

import os
import threading

from reflow.api.array import arrange
from reflow.api.export import export
from reflow.api.framework import core_names
from reflow.api.scoped import scoped
from reflow.core import errors, nest
from reflow.core.context import state
from reflow.eager.variables import Variable


@export("AggregationMethod")
class AggregationMethod:
    """How `tf.gradients` sums the gradients of a tensor that is used several times. XLA decides for itself: all mean
    the same sum.

    >>> tf.AggregationMethod.ADD_N == tf.AggregationMethod.DEFAULT
    True
    """

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


@export("get_current_name_scope")
def get_current_name_scope() -> str:
    """Returns the current name scope.

    Returns:
      A Python string without the trailing slash, empty outside of scopes.

    >>> with tf.name_scope("a"), tf.name_scope("b"):
    ...     tf.get_current_name_scope()
    'a/b'
    """
    return (state.name_scope if state.graph is None else state.graph.current_scope).rstrip("/")


@export("tuple")
@scoped("tuple")
def tuple_(tensors, control_inputs=None, name=None):
    """Makes the tensors of a graph available only when all of them are; in eager code they are anyway.

    Args:
      tensors: A list of tensors and Nones.
      control_inputs: More tensors and operations to wait for, in a graph.
      name: A name for the operation.

    Returns:
      A list of the same tensors, Nones included.

    Raises:
      ValueError: There is no tensor, in a graph.

    >>> tf.tuple([tf.constant(1), None])[1] is None
    True
    """
    if state.graph is None:
        return tensors
    held = [t for t in tensors if t is not None]
    if not held:
        raise ValueError(f"`tensors` must have at least one Tensor. Received: {tensors}.")
    with core_names.control_dependencies([*held, *(control_inputs or ())]):
        return [None if t is None else arrange.identity(t, name="control_dependency") for t in tensors]


@export("CriticalSection")
class CriticalSection:
    """Code that only one thread runs at a time.

    Args:
      name: A name for the section.
      shared_name: Sections with the same shared name exclude each other; by default none do.
      critical_section_def: Must be None.
      import_scope: Has no effect.

    Raises:
      ValueError: `critical_section_def` is given.

    >>> tf.CriticalSection().execute(lambda: tf.constant(3)).numpy().item()
    3
    """

    _shared: dict[str, threading.RLock] = {}

    def __init__(self, name=None, shared_name=None, critical_section_def=None, import_scope=None):
        if critical_section_def is not None:
            raise ValueError("Argument `critical_section_def` is not supported.")
        self._name = name or "critical_section"
        self._lock = self._shared.setdefault(shared_name, threading.RLock()) if shared_name else threading.RLock()

    name = property(lambda self: self._name)

    def execute(self, fn, exclusive_resource_access=True, name=None):
        """Runs a function alone. In a graph the order of the program is the order of its effects already.

        Args:
          fn: A function without arguments.
          exclusive_resource_access: Has no effect.
          name: Has no effect.

        Returns:
          What `fn` returns, with the values of variables in their place.

        Raises:
          TypeError: `fn` is not callable.
        """
        if not callable(fn):
            raise TypeError(f"{type(fn).__name__!r} object is not callable")
        if state.graph is not None:
            return _values(fn())
        with self._lock:
            return _values(fn())


def _values(result):
    """What a section returns: the values of variables as they are now, not the variables."""
    return nest.map_structure(lambda x: x.read_value() if isinstance(x, Variable) else x, result)


@export("load_op_library")
def load_op_library(library_filename):
    """Always raises: the kernels of a library compiled for TensorFlow cannot run here.

    Args:
      library_filename: The path of the library.

    Returns:
      Nothing.

    Raises:
      NotFoundError: There is no such file.
      UnimplementedError: There is one.

    >>> try:
    ...     tf.load_op_library("no such library.so")
    ... except tf.errors.NotFoundError:
    ...     print("there is none")
    there is none
    """
    if not os.path.exists(library_filename):
        message = f"{library_filename}: cannot open shared object file: No such file or directory"
        raise errors.NotFoundError(None, None, message)
    raise errors.UnimplementedError(
        None, None,
        f"{library_filename} holds kernels for TensorFlow's C++ runtime, which Reflow does not "
        "have. Write the op in Python.",
    )


@export("load_library")
def load_library(library_location):
    """Always raises, as `load_op_library` does.

    Args:
      library_location: The path of a library, or of a folder of libraries.

    Returns:
      Nothing.

    Raises:
      FileNotFoundError: There is no such file or folder.
      UnimplementedError: There is one.

    >>> try:
    ...     tf.load_library("no such library.so")
    ... except FileNotFoundError:
    ...     print("there is none")
    there is none
    """
    if not os.path.exists(library_location):
        raise FileNotFoundError(2, "The file or folder to load kernel libraries from does not exist.", library_location)
    load_op_library(library_location)
