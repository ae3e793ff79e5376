"""`tf.autograph`: explicit conversion, and its switches."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable
from typing import Any

from reflow.api.autograph import status
from reflow.api.export import export, export_value, with_sections

export_value(status.do_not_convert, "autograph.experimental.do_not_convert")
export_value(status.set_loop_options, "autograph.experimental.set_loop_options")
export_value(status.Feature, "autograph.experimental.Feature")
export_value(status.tf_convert, "__internal__.autograph.tf_convert")
export_value(status.control_status_ctx, "__internal__.autograph.control_status_ctx")


def _function_of(entity: Any) -> Callable[..., Any]:
    entity = getattr(entity, "__func__", entity)
    if not hasattr(entity, "__code__"):
        raise ValueError(
            "Cannot apply autograph to a function that doesn't expose a __code__ object. If this is a @tf.function, "
            "try passing f.python_function instead."
        )
    return entity


@export("autograph.to_graph")
def to_graph(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> Callable[..., Any]:
    """Converts a Python function: control flow on tensors in it becomes graph control flow.

    Args:
      entity: A function or a method, not a `tf.function`.
      recursive: Whether the functions that it calls are converted too.
      experimental_optional_features: One or several `tf.autograph.experimental.Feature`, or None.

    Returns:
      A Python function with the parameters of `entity`; of a method, with `self` first.

    Raises:
      ConversionError: The function cannot be converted, for instance because it has no source.

    >>> def double_if_positive(x):
    ...     if x > 0:
    ...         x = x * 2
    ...     return x
    >>> to_graph(double_if_positive)(tf.constant(3)).numpy().item()
    6
    """
    from reflow.api.autograph import conversion

    options = conversion.options(experimental_optional_features, user_requested=True, recursive=recursive)
    try:
        converted = conversion.convert_function(_function_of(entity), options)
    except (ValueError, AttributeError, KeyError, NameError, AssertionError) as error:
        raise conversion.ConversionError(f"converting {entity}: {type(error).__name__}: {error}") from error
    converted.__name__ = f"tf__{entity.__name__}" if entity.__name__.isidentifier() else "tf__lam"
    return status.autograph_artifact(converted)


@export("autograph.to_code")
def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """Returns the source of the converted form of a Python function.

    Args:
      entity: A function or a method, not a `tf.function`.
      recursive: Whether the functions that it calls are converted too.
      experimental_optional_features: One or several `tf.autograph.experimental.Feature`, or None.

    Returns:
      Python source, a string.

    Raises:
      ConversionError: The function cannot be converted, for instance because it has no source.

    >>> def f(x):
    ...     if x < 0:
    ...         x = -x
    ...     return x
    >>> print(to_code(f).splitlines()[0])
    def tf__f(x):
    """
    from reflow.api.autograph import conversion

    options = conversion.options(experimental_optional_features, user_requested=True, recursive=recursive)
    try:
        return textwrap.dedent(conversion.source_of(_function_of(entity), options))
    except (ValueError, AttributeError, KeyError, NameError, AssertionError) as error:
        raise conversion.ConversionError(f"converting {entity}: {type(error).__name__}: {error}") from error


_OLDER_ARGUMENTS = """\
Args:
  entity: A function or a method, not a `tf.function`.
  recursive: Whether the functions that it calls are converted too.
  arg_values: No effect, as in TensorFlow.
  arg_types: No effect, as in TensorFlow.
  indentation: No effect, as in TensorFlow.
  experimental_optional_features: One or several `tf.autograph.experimental.Feature`, or None.

Raises:
  ConversionError: The function cannot be converted, for instance because it has no source.
"""


@export("compat.v1.autograph.to_graph")
@with_sections(_OLDER_ARGUMENTS)
def to_graph_v1(
    entity: Any, recursive: bool = True, arg_values: Any = None, arg_types: Any = None,
    experimental_optional_features: Any = None,
) -> Callable[..., Any]:
    """Converts a Python function: control flow on tensors in it becomes graph control flow.

    Returns:
      A Python function with the parameters of `entity`; of a method, with `self` first.

    >>> def absolute(x):
    ...     return -x if x < 0 else x
    >>> to_graph_v1(absolute)(tf.constant(-3)).numpy().item()
    3
    """
    return to_graph(entity, recursive, experimental_optional_features)


@export("compat.v1.autograph.to_code")
@with_sections(_OLDER_ARGUMENTS)
def to_code_v1(
    entity: Any, recursive: bool = True, arg_values: Any = None, arg_types: Any = None, indentation: str = "  ",
    experimental_optional_features: Any = None,
) -> str:
    """Returns the source of the converted form of a Python function.

    Returns:
      Python source, a string.

    >>> def f(x):
    ...     return -x if x < 0 else x
    >>> print(to_code_v1(f).splitlines()[0])
    def tf__f(x):
    """
    return to_code(entity, recursive, experimental_optional_features)


@export("autograph.set_verbosity")
def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Says how much AutoGraph logs about its conversions.

    Args:
      level: 0 for nothing, 1 for errors, 3 for the code that it generates too.
      alsologtostdout: Whether the messages are also printed to standard output.

    Returns:
      None; the level also goes into the environment variable `AUTOGRAPH_VERBOSITY`.

    >>> set_verbosity(0)
    """
    os.environ["AUTOGRAPH_VERBOSITY"] = str(level)
    from malt.utils import ag_logging

    ag_logging.set_verbosity(level, alsologtostdout)


@export("autograph.trace")
def trace(*args: Any) -> None:
    """Prints its arguments while a function is traced, rather than when it runs.

    Args:
      *args: What `print` is given.

    Returns:
      None.

    >>> trace("tracing")
    tracing
    """
    print(*args)
