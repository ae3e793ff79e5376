"""`tf.train.ExponentialMovingAverage`: slowly moving copies of variables."""

from __future__ import annotations

from reflow.api.array import creation
from reflow.api.control import printing
from reflow.api.export import export
from reflow.api.framework import core_names
from reflow.api.initializers import Zeros
from reflow.api.math import arithmetic
from reflow.compat.graph_variables import global_variables, trainable_variables
from reflow.compat.variable_scopes import get_variable, variable_scope
from reflow.core.context import init_scope, state, swapped
from reflow.core.tensor import Tensor
from reflow.distribute.strategy import get_replica_context, has_strategy
from reflow.eager.variables import Variable
from reflow.ops.convert import convert_to_tensor


@export("train.ExponentialMovingAverage")
class ExponentialMovingAverage:
    """Keeps the average `average -= (1 - decay) * (average - variable)` of each variable that `apply` is given.

    Args:
      decay: How much of the old average stays, close to 1.
      num_updates: If given, the decay begins small: it is at most `(1 + num_updates) / (10 + num_updates)`.
      zero_debias: Whether averages of tensors, which begin at zero, are corrected for that.
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
        self._biased: dict = {}  # the same -> (sum before the correction, number of updates)

    name = property(lambda self: self._name)

    def apply(self, var_list=None):
        """Moves the averages on; those of new variables are made, with the variable's value.

        Args:
          var_list: The variables or tensors; by default all trainable variables of the graph.

        Returns:
          None; in a graph, the operation that does it.

        Raises:
          TypeError: One is not floating point.
        """
        var_list = trainable_variables() if var_list is None else var_list
        for var in var_list:
            if not var.dtype.is_floating:
                raise TypeError(f"The variables must be half, float, or double: {var.name}")
            if var.ref() not in self._averages:
                self._averages[var.ref()] = self._new(var)
                if isinstance(var, Variable) and state.graph is not None:
                    state.graph.add_to_collection("moving_average_variables", var)
        decay = self._current_decay()
        done = [self._move(var, decay) for var in var_list]
        return printing.group(*done) if state.graph is not None else None

    def _new(self, var):
        label = f"{var.name.split(':')[0]}/{self._name}"
        if isinstance(var, Variable):
            return _kept(getattr(var, "initialized_value", lambda: convert_to_tensor(var)), label)
        if self._zero_debias:
            self._biased[var.ref()] = _hidden(var, label)
        return _zeros(var, label)

    def _current_decay(self):
        if self._num_updates is None:
            return self._decay
        updates = arithmetic.cast(self._num_updates, "float32")
        return arithmetic.minimum(convert_to_tensor(self._decay, "float32"), (1.0 + updates) / (10.0 + updates))

    def _move(self, var, decay):
        average = self._averages[var.ref()]
        decay = arithmetic.cast(decay, average.dtype)
        value = convert_to_tensor(var)
        if var.ref() not in self._biased:
            return average.assign_sub((average - value) * (1 - decay))
        return _move_debiased(average, self._biased[var.ref()], value, decay)

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
        return f"{var.name.split(':')[0]}/{self._name}" if average is None else average.name.split(":")[0]

    def variables_to_restore(self, moving_avg_variables=None):
        """Returns what a `Saver` needs to load the averages into the variables themselves.

        Args:
          moving_avg_variables: The variables that are averaged; by default all trainable ones.

        Returns:
          A dictionary from names to variables.
        """
        graph_variables = global_variables()
        given = trainable_variables() if moving_avg_variables is None else list(moving_avg_variables)
        averaged = {v.ref() for v in given}
        named = {self.average_name(v): v for v in given}
        # the averages are variables of the graph too: their names are the averaged variables' now
        return {v.name.split(":")[0]: v for v in graph_variables if v.ref() not in averaged} | named


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
                return _move_debiased(variable, _hidden(variable, variable.name.split(":")[0]), value, kept)
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


def _hidden(like, label):
    """The variables behind an average without bias: the sum before the correction, and the number of updates."""
    return _zeros(like, f"{label}/biased"), _kept(lambda: convert_to_tensor(0.0), f"{label}/local_step")


def _move_debiased(average, hidden, value, decay):
    biased, count = hidden
    # reads of what was written: graphs have no other order
    total = convert_to_tensor(biased.assign_sub((biased - value) * (1 - decay)))
    updates = arithmetic.cast(convert_to_tensor(count.assign_add(1.0)), average.dtype)
    return average.assign(total / (1 - decay**updates))


def _kept(initial, name):
    top = swapped(name_scope="") if state.graph is None else state.graph.scope(None)  # its name is that of the variable
    # its first value waits for nothing that `apply` waits for
    with top, init_scope(), core_names.control_dependencies(None):
        return Variable(initial(), trainable=False, name=name)


def _zeros(tensor: Tensor, name):
    return _kept(lambda: creation.zeros(tensor.shape, tensor.dtype), name)
