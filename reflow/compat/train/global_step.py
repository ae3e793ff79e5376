"""The variable that counts training steps."""

from __future__ import annotations

from reflow.api.export import export
from reflow.api.initializers import Zeros
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.variable_scopes import get_variable
from reflow.core import dtypes
from reflow.core.logging import logger


@export("compat.v1.train.get_global_step")
def get_global_step(graph=None):
    """Returns the variable that counts training steps. One that is called "global_step" is it, too.

    Args:
      graph: The graph; the default one if it is missing.

    Returns:
      A variable, or None if there is none, or more than one.

    Raises:
      TypeError: What is found is not a scalar of integers.

    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.Variable(0, name="global_step", trainable=False)
    ...     tf.compat.v1.train.get_global_step() is step
    True
    """
    graph = graph or get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if not found:
        found = [v for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES) if v.name == "global_step:0"]
    elif len(found) > 1:
        logger.error("Multiple tensors in global_step collection.")
        return None
    if found:
        assert_global_step(found[0])
    return found[0] if found else None


@export("compat.v1.train.create_global_step")
def create_global_step(graph=None):
    """Creates the variable that counts training steps, in the current variable scope.

    Args:
      graph: The graph; the default one if it is missing.

    Returns:
      A variable, int64 and not trainable, that starts at 0.

    Raises:
      ValueError: The graph has one already.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.train.create_global_step().name
    'global_step:0'
    """
    graph = graph or get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default(), graph.scope(None):
        keys = [GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP]
        return get_variable("global_step", [], dtypes.int64, Zeros(), trainable=False, collections=keys)


@export("compat.v1.train.get_or_create_global_step")
def get_or_create_global_step(graph=None):
    """Returns the variable that counts training steps, and creates it if there is none.

    Args:
      graph: The graph; the default one if it is missing.

    Returns:
      A variable.

    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.get_or_create_global_step()
    ...     tf.compat.v1.train.get_or_create_global_step() is step
    True
    """
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


@export("compat.v1.train.global_step")
def global_step(sess, global_step_tensor) -> int:
    """Returns the step that a session has reached.

    Args:
      sess: The session.
      global_step_tensor: The variable that counts steps.

    Returns:
      An int.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     step = tf.compat.v1.train.create_global_step()
    ...     session.run(step.initializer)
    ...     tf.compat.v1.train.global_step(session, step)
    0
    """
    return int(sess.run(global_step_tensor))


@export("compat.v1.train.assert_global_step")
def assert_global_step(global_step_tensor):
    """Checks that something can count steps: a scalar variable or tensor of integers.

    Args:
      global_step_tensor: A variable or a tensor.

    Returns:
      None.

    Raises:
      TypeError: It is not a scalar of integers.

    >>> tf.compat.v1.train.assert_global_step(tf.Variable(0, dtype=tf.int64))
    >>> tf.compat.v1.train.assert_global_step(tf.Variable(0.5))
    Traceback (most recent call last):
        ...
    TypeError: Existing "global_step" does not have integer type: <dtype: 'float32'>
    """
    shape, dtype = global_step_tensor.shape, global_step_tensor.dtype
    if not dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {dtype}')
    if shape.rank not in (0, None) and shape.is_fully_defined():
        raise TypeError(f'Existing "global_step" is not scalar: {shape}')
