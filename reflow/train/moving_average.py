"""`tf.train.ExponentialMovingAverage`: slowly moving copies of variables."""

from __future__ import annotations

from reflow.api.array import creation
from reflow.api.control import printing
from reflow.api.export import export
from reflow.api.framework import core_names
from reflow.api.initializers import Zeros
from reflow.api.math import arithmetic
from reflow.compat.behavior import get_default_graph
from reflow.compat.graph_variables import global_variables, moving_average_variables, trainable_variables
from reflow.compat.train.slots import create_hidden, create_slot, is_tensor, name_of
from reflow.compat.variable_scopes import get_variable, variable_scope
from reflow.core.context import init_scope, state
from reflow.distribute.strategy import get_replica_context, has_strategy
from reflow.eager.variables import outermost_graph
from reflow.ops.convert import convert_to_tensor


@export("train.ExponentialMovingAverage")
class ExponentialMovingAverage:
    """Keeps the average `average -= (1 - decay) * (average - variable)` of each variable that `apply` is given.

    Args:
      decay: How much of the old average stays, close to 1.
      num_updates: If given, the decay begins small: it is at most `(1 + num_updates) / (10 + num_updates)`.
      zero_debias: Whether averages of tensors, which begin at zero, are corrected for that, by
        the call of `apply` that makes them.
      name: A name for the averages' variables.

    >>> w, ema = tf.Variable(1.0), ExponentialMovingAverage(0.9)
    >>> ema.apply([w])
    >>> _ = w.assign(2.0)
    >>> ema.apply([w])
    >>> round(float(ema.average(w)), 4)
    1.1
    """

    def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage"):
        self._decay, self._num_updates, self._zero_debias, self._name = decay, num_updates, zero_debias, name
        self._averages: dict = {}  # reference of a variable or tensor -> its average

    name = property(lambda self: self._name)

    def apply(self, var_list=None):
        """Moves the averages on; those of new variables are made, with the variable's value.

        Args:
          var_list: The variables or tensors; by default all trainable variables of the graph.

        Returns:
          None; in a graph, the operation that does it.

        Raises:
          TypeError: One is not floating point, or is a tensor in eager code.
        """
        var_list = trainable_variables() if var_list is None else var_list
        if outermost_graph(state.graph) is None and any(is_tensor(var) for var in var_list):
            words = "does not support non-Variable tensors when eager execution is enabled."
            raise TypeError(f"tf.train.ExponentialMovingAverage {words}")
        biased = set()  # averages that begin at zero
        for var in var_list:
            if not var.dtype.is_floating:
                raise TypeError(f"The variables must be half, float, or double: {var.name}")
            if var.ref() not in self._averages:
                self._averages[var.ref()] = self._new(var)
                if self._zero_debias and is_tensor(var):
                    biased.add(var.ref())
        with core_names.name_scope(self._name) as scope:
            decay = self._current_decay()
            done = [assign_moving_average(self._averages[v.ref()], v, decay, v.ref() in biased) for v in var_list]
            return printing.group(*done, name=scope) if state.graph is not None else None

    def _new(self, var):
        if is_tensor(var):
            return create_slot(var, lambda: creation.zeros(var.shape, var.dtype), self._name)
        if state.graph is not None:
            state.graph.add_to_collection("moving_average_variables", var)
        with init_scope():
            return create_slot(var, getattr(var, "initialized_value", lambda: convert_to_tensor(var))(), self._name)

    def _current_decay(self):
        if self._num_updates is None:
            return self._decay
        updates = arithmetic.cast(self._num_updates, "float32")
        return arithmetic.minimum(convert_to_tensor(self._decay, "float32"), (1.0 + updates) / (10.0 + updates))

    def average(self, var):
        """Returns the average of a variable.

        Args:
          var: The variable.

        Returns:
          The variable that holds the average; None if `apply` has not seen `var`.
        """
        return self._averages.get(var.ref())

    def average_name(self, var):
        """Returns the name under which a checkpoint of TensorFlow 1 holds an average.

        Args:
          var: The variable that is averaged.

        Returns:
          A string.
        """
        average = self.average(var)
        if average is not None:
            return average.name.split(":")[0]
        return get_default_graph().unique_name(f"{name_of(var)}/{self._name}", mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables=None):
        """Returns what a `Saver` needs to load the averages into the variables themselves.

        Args:
          moving_avg_variables: The variables that are averaged; by default the trainable ones and those of which
            there are averages.

        Returns:
          A dictionary from names to variables.
        """
        given = moving_avg_variables
        if given is None:
            given = trainable_variables() + moving_average_variables()
        named = {self.average_name(v): v for v in given}
        averaged = {v.name for v in given}
        others = {v.name.split(":")[0]: v for v in global_variables() if v.name not in averaged}
        # the averages are variables of the graph too: their names are the averaged variables' now
        return others | named


@export("__internal__.train.assign_moving_average")
def assign_moving_average(variable, value, decay, zero_debias=True, name=None):
    """Move a variable towards a value: `variable -= (1 - decay) * (variable - value)`.

    >>> v = tf.Variable(1.0)
    >>> round(float(tf.__internal__.train.assign_moving_average(v, 2.0, 0.9, zero_debias=False)), 4)
    1.1

    Args:
      variable: a floating point variable.
      value: a tensor of the same shape.
      decay: how much of the old value stays.
      zero_debias: divide by `1 - decay ** updates`, for a variable that began at zero. The sum and the number of
        updates are hidden variables, made by each call, as in TensorFlow: of use in graphs of version 1, where a call
        is made once.
      name: of the op.

    Replicas move the variable towards the mean of their values.
    """

    def move(variable, value):
        with core_names.name_scope(name or "AssignMovingAvg"):
            value = convert_to_tensor(value, variable.dtype)
            kept = arithmetic.cast(decay, variable.dtype)
            if zero_debias:
                return _move_debiased(variable, value, kept)
            return variable.assign_sub((variable - value) * (1 - kept))

    context = get_replica_context()
    if context is None or not has_strategy() or state.updating is not None:
        return move(variable, value)
    mean = lambda strategy, variable, value: move(variable, strategy.extended.reduce_to("mean", value, variable))
    return context.merge_call(mean, args=(variable, convert_to_tensor(value, variable.dtype)))


def weighted_moving_average(value, decay, weight, truediv=True, collections=None, name=None):
    """The moving average of `value * weight` over that of `weight`, in two variables that are made here.

    Args:
      value: a tensor.
      decay: how much of the old averages stays.
      weight: a tensor of the value's shape, or one that broadcasts to it.
      truediv: divide integers as numbers with fractions.
      collections: of the graph, to which the two variables are added; the global variables if None.
      name: of the scope in which all this is.
    """
    with variable_scope(name, "WeightedMovingAvg", [value, weight, decay]) as scope:
        value, weight = convert_to_tensor(value), convert_to_tensor(weight)
        made = [
            get_variable(label, like.shape, like.dtype, initializer=Zeros(), trainable=False, collections=collections)
            for label, like in (("value_x_weight", value), ("weight", weight))
        ]
        moved = zip(made, (value * weight, weight), strict=True)
        above, below = [assign_moving_average(variable, tensor, decay, zero_debias=False) for variable, tensor in moved]
        return (arithmetic.truediv if truediv else arithmetic.divide)(above, below, name=scope.name)


def _move_debiased(average, value, decay):
    """Move an average that began at zero. Two variables behind it hold the sum before the correction, and the number of
    updates."""
    biased = create_hidden(average, "biased", average.shape, Zeros())
    count = create_hidden(average, "local_step", [], Zeros())
    # reads of what was written: graphs have no other order
    total = convert_to_tensor(biased.assign_sub((biased - value) * (1 - decay)))
    updates = convert_to_tensor(count.assign_add(1.0))
    return average.assign(total / (1 - decay**updates))
