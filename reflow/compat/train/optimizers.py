"""`tf.compat.v1.train`'s optimizers.

Each names one of TensorFlow's ops (`ResourceApplyAdam`), the slots (momenta and similar state) and the settings that
the op takes. The base class does the rest: slots as variables, the op for whole gradients, its rule on rows for sparse
ones, in a graph or eagerly.
"""

from __future__ import annotations

import weakref
from types import SimpleNamespace
from typing import Any

from reflow.api.control.printing import group
from reflow.api.export import export
from reflow.api.framework.core_names import control_dependencies, name_scope
from reflow.api.gradients import gradients
from reflow.api.initializers import Zeros
from reflow.api.raw_ops import raw_ops
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.graph_variables import VariableV1, trainable_variables
from reflow.compat.train import replicas
from reflow.compat.train.slots import create_slot
from reflow.compat.train.sparse_rows import summed_rows
from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.indexed_slices import IndexedSlices
from reflow.distribute.variables import DistributedVariable
from reflow.eager.tape import GradientTape
from reflow.eager.variables import Variable, outermost_graph
from reflow.ops import opdef
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.dispatch import run
from reflow.ops.kernels.training.optimizers import DENSE
from reflow.ops.xp import tensor as xp
from reflow.tracking.trackable import SaveType, Trackable


@export("compat.v1.train.Optimizer")
class Optimizer(Trackable):
    """The base of optimizers. A subclass names its op, its slots and `_settings`. A checkpoint holds slots and numbers.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", initializer=tf.constant(3.0))
    ...     optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.5)
    ...     gradients = optimizer.compute_gradients(v * v)
    ...     train = optimizer.apply_gradients([(tf.clip_by_norm(g, 1.0), v) for g, v in gradients])
    ...     session.run(v.initializer)
    ...     session.run(train)
    ...     session.run(v).item(), isinstance(optimizer, tf.compat.v1.train.Optimizer)
    (2.5, True)
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2
    OP = ""  # what `ResourceApply` has behind it in the name of the op
    SETTINGS: dict = {}  # input of the op -> the name of the attribute that has its value
    SLOTS: dict = {}  # name -> the number that fills a new one, or the name of the attribute that has it
    INPUTS: dict = {}  # the op's name of a slot -> ours, where it is another
    LABELS = {  # the op's name of a setting -> that of its tensor in a graph, where it is another
        "alpha": "learning_rate", "lr": "learning_rate", "lr_power": "learning_rate_power",
        "l1": "l1_regularization_strength", "l2": "l2_regularization_strength",
        "l2_shrinkage": "l2_shrinkage_regularization_strength",
    }
    sparse_by_rows = True  # whether a sparse gradient touches only its rows

    def __init__(self, use_locking=False, name=None, use_own_namescope_for_non_slot_vars=False):
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._name, self._use_locking = name, use_locking
        self._own_scope = use_own_namescope_for_non_slot_vars
        self._slots: dict = {}
        self._deferred_slots: dict = {}  # name of a slot, variable -> places in checkpoints that hold its value
        self._eager_numbers: dict = {}
        self._graph_numbers: weakref.WeakKeyDictionary[Any, dict] = weakref.WeakKeyDictionary()

    # --- what users call

    def get_name(self) -> str:
        """The name that the constructor was given."""
        return self._name

    def minimize(
        self, loss, global_step=None, var_list=None, gate_gradients=GATE_OP, aggregation_method=None,
        colocate_gradients_with_ops=False, name=None, grad_loss=None,
    ):
        """An operation that moves the variables one step down the gradient of `loss` (done at once in eager code).

        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     x = tf.Variable(3.0)
        ...     step = tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(x * x)
        ...     _ = session.run(tf.compat.v1.global_variables_initializer())
        ...     _ = session.run(step)
        ...     round(float(session.run(x)), 3)
        2.4
        """
        pairs = self.compute_gradients(loss, var_list, gate_gradients, aggregation_method, False, grad_loss)
        if all(g is None for g, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support gradients, "
                f"between variables {[str(v) for _, v in pairs]} and loss {loss}."
            )
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self, loss, var_list=None, gate_gradients=GATE_OP, aggregation_method=None, colocate_gradients_with_ops=False,
        grad_loss=None,
    ) -> list:
        """Pairs of a gradient and a variable. In eager code `loss` is a function without arguments."""
        if gate_gradients not in (0, 1, 2):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH. Not "
                f"{gate_gradients}"
            )
        if callable(loss):
            with GradientTape() as tape:
                if var_list is not None:
                    tape.watch(var_list)
                value = loss()
            variables = list(tape.watched_variables() if var_list is None else var_list)
            return list(zip(tape.gradient(value, variables, grad_loss), variables, strict=True))
        if state.graph is None:
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled."
            )
        self._assert_valid_dtypes([loss] if grad_loss is None else [loss, grad_loss])
        variables = trainable_variables() if var_list is None else _flat(var_list)
        if not variables:
            raise ValueError("No variables to optimize.")
        if state.graph.towers is not None:
            loss = state.graph.towers.scaled(loss)
        return list(zip(gradients(loss, variables, grad_loss), variables, strict=True))

    def _valid_dtypes(self):
        """The dtypes that losses may have."""
        return {dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64}

    def _assert_valid_dtypes(self, tensors) -> None:
        valid = self._valid_dtypes()
        for tensor in nest.flatten(tensors):
            kind = getattr(tensor, "dtype", None)
            if kind is not None and kind.base_dtype not in valid:
                raise ValueError(f"Invalid type {kind.base_dtype!r} for {tensor.name}, expected: {list(valid)}.")

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """An operation that applies pairs of a gradient and a variable."""
        grads_and_vars = [(g, _variable(v)) for g, v in grads_and_vars]
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise ValueError(
                f"No gradients provided for any variable: {[str(v) for _, v in grads_and_vars]}."
                if grads_and_vars
                else "No variables provided."
            )
        if state.graph is not None and state.graph.towers is not None:
            return state.graph.towers.apply_later(self, list(grads_and_vars), global_step, name)
        if replicas.several():
            return replicas.apply_together(self, pairs, global_step, name)
        self._make_slots([v for _, v in pairs])  # also where a program's own `_create_slots` makes others
        self._create_slots([v for _, v in pairs])
        with name_scope(name or self._name) as scope:
            self._prepare()
            settings = self._hyperparameters()
            done = [op for g, v in pairs for op in self._apply(g, v, settings)]
            if state.graph is None:
                self._finish(done, scope)
                return None if global_step is None else global_step.assign_add(1)
            step = self._stepped([op for op in done if op is not None], global_step, scope)
        get_default_graph().add_to_collection(GraphKeys.TRAIN_OP, step)
        return step

    def _stepped(self, done, global_step, scope):
        """The operation after all updates; it counts the step."""
        if global_step is None:
            return self._finish(done, scope)
        with control_dependencies([self._finish(done, "update")]):
            return global_step.assign_add(1, name=scope, read_value=False)

    def get_slot(self, var, name):
        """A slot of a variable; None if there is none."""
        return self._slots.get(name, {}).get(var._unique_id)

    def get_slot_names(self) -> list:
        """The names of the variables that it keeps for each variable, sorted."""
        return sorted(self._slots)

    def variables(self) -> list:
        """The optimizer's own variables in the current graph, sorted by name."""
        graph = outermost_graph(state.graph)
        slots = [slot for kept in self._slots.values() for slot in kept.values()]
        found = [*self._numbers.values(), *[slot for slot in slots if getattr(slot, "graph", None) is graph]]
        return sorted(found, key=lambda variable: variable.name)

    # --- what subclasses write

    def _settings(self) -> dict:
        """The op's other inputs by its names for them: numbers, tensors, or functions that return one."""
        return {name: getattr(self, attribute) for name, attribute in self.SETTINGS.items()}

    def _flags(self) -> dict:
        """The op's attributes that differ from their defaults."""
        return {"use_locking": self._use_locking}

    # --- what a program's own optimizer may write in place of an op

    def _create_slots(self, var_list) -> None:
        """Make the slots of the variables.

        A program's own optimizer makes its own, by `_zeros_slot` and its relatives.
        """
        self._make_slots(var_list)

    def _prepare(self) -> None:
        """Make tensors of the hyperparameters."""

    def _finish(self, update_ops, name_scope):
        """The operation after all updates."""
        return group(*update_ops, name=name_scope)

    def _zeros_slot(self, var, slot_name, op_name):
        return self._get_or_make_slot_with_initializer(var, Zeros(), var.shape, var.dtype, slot_name, op_name)

    def _get_or_make_slot(self, var, val, slot_name, op_name):
        """The slot of a variable; a new one begins with `val`."""
        kept = self._slots.setdefault(slot_name, {})
        if var._unique_id not in kept:
            kept[var._unique_id] = create_slot(var, val, op_name)
            self._restore_deferred(var, slot_name)
        return kept[var._unique_id]

    def _get_or_make_slot_with_initializer(self, var, initializer, shape, dtype, slot_name, op_name):
        """The slot of a variable; the first value of a new one is `initializer(shape, dtype)`."""
        return self._get_or_make_slot(var, lambda: initializer(shape.as_list(), dtype=dtype), slot_name, op_name)

    def _create_non_slot_variable(self, initial_value, name, colocate_with):
        return self._number(name, initial_value)

    def _get_non_slot_variable(self, name, graph=None):
        return self._numbers.get(name)

    @staticmethod
    def _call_if_callable(param):
        return param() if callable(param) else param

    def _own_update(self, grad, variable) -> list | None:
        """What the program's own methods make of a gradient; None if it has none for this kind."""
        rows = isinstance(grad, IndexedSlices)
        for method in (
            ("_resource_apply_sparse", "_apply_sparse") if rows else ("_resource_apply_dense", "_apply_dense")
        ):
            own = getattr(self, method, None)
            if own is None:
                continue
            if method != "_resource_apply_sparse":
                return [own(grad, variable)]
            rows_named, places = run("Unique", grad.indices)
            summed = run("UnsortedSegmentSum", grad.values, places, run("Size", rows_named))
            return [own(summed, variable, rows_named)]
        return None

    # --- applying

    def _make_slots(self, variables):
        for v in variables:
            for name, start in self.SLOTS.items():
                kept = self._slots.setdefault(name, {})
                if v._unique_id not in kept:
                    kept[v._unique_id] = self._new_slot(v, name, start)
                    self._restore_deferred(v, name)

    def _create_or_restore_slot_variable(self, slot_variable_position, variable, slot_name):
        """The slot that a checkpoint has a value for. Eagerly it is made if there is none yet; in a graph, or if this
        optimizer has no such slot by itself, the value waits until the slot is made."""
        kept = self._slots.setdefault(slot_name, {}) if slot_name in self.SLOTS else self._slots.get(slot_name, {})
        if variable._unique_id not in kept and (state.graph is not None or slot_name not in self.SLOTS):
            self._deferred_slots.setdefault((slot_name, variable._unique_id), []).append(slot_variable_position)
            return None
        if variable._unique_id not in kept:
            kept[variable._unique_id] = self._new_slot(variable, slot_name, self.SLOTS[slot_name])
        return kept[variable._unique_id]

    def _restore_deferred(self, variable, slot_name) -> None:
        """Give a new slot the value that a restored checkpoint has for it."""
        slot = self._slots[slot_name][variable._unique_id]
        for position in self._deferred_slots.pop((slot_name, variable._unique_id), ()):
            position.restore(slot)

    def _new_slot(self, variable, name, start) -> Variable:
        start = getattr(self, start) if isinstance(start, str) else start

        def filled():
            return run("Fill", constant(variable.shape.as_list(), dtypes.int32), constant(start, variable.dtype))

        return create_slot(variable, filled, self._slot_label(name))

    def _slot_label(self, name) -> str:
        """The name of a slot behind that of its variable; a second slot of this name gets a number."""
        return self._name

    @property
    def _numbers(self) -> dict:
        """The variables of the optimizer itself, by name: each graph has its own."""
        graph = outermost_graph(state.graph)
        return self._eager_numbers if graph is None else self._graph_numbers.setdefault(graph, {})

    def _trackable_children(self, save_type=SaveType.CHECKPOINT, **kwargs) -> dict:
        return {**super()._trackable_children(save_type, **kwargs), **self._numbers}

    def _lookup_dependency(self, name, cached_dependencies=None):
        found = self._numbers.get(name)
        return super()._lookup_dependency(name, cached_dependencies) if found is None else found

    def _number(self, name, start):
        """A variable of the optimizer itself, such as a power of a decay."""
        if name not in self._numbers:
            label = f"{self._name}/{name}" if self._own_scope else name
            self._numbers[name] = VariableV1(start, name=label, trainable=False, dtype=dtypes.float32)
            # a restored checkpoint's value replaces the first one
            self._handle_deferred_dependencies(name, self._numbers[name])
        return self._numbers[name]

    def _hyperparameters(self) -> dict:
        """The tensors of the settings: one of each for all variables."""
        settings = self._settings() if self.OP else {}
        return {
            name: convert_to_tensor(self._call_if_callable(x), name=self.LABELS.get(name, name))
            for name, x in settings.items()
        }

    def _apply(self, grad, variable, settings) -> list:
        with name_scope("update_" + variable.name.partition(":")[0] if state.graph is not None else "update_"):
            own = self._own_update(grad, variable)
            if own is not None:
                return own
            constraint = getattr(variable, "constraint", None)
            if isinstance(grad, IndexedSlices):
                if constraint is not None:
                    raise RuntimeError("Cannot use a constraint function on a sparse variable.")
                if self.sparse_by_rows:
                    return self._apply_rows(grad, variable, settings)
                grad = convert_to_tensor(grad)
            if not self.OP:
                raise NotImplementedError(f"{type(self).__name__} has no _apply_dense")
            done = self._apply_whole(grad, variable, settings)
            if constraint is not None:
                with control_dependencies(done):
                    done.append(variable.assign(constraint(variable), read_value=False))
            return done

    def _apply_whole(self, grad, variable, settings) -> list:
        states = self._states(variable)
        if isinstance(variable, DistributedVariable):  # it has no handle of its own
            with control_dependencies([grad]):  # a second step in the same run begins where the first ended
                before = {name: x.value() for name, x in states.items()}
            new = self._moved(before, grad, variable.dtype, settings)
            return [states[name].assign(x, read_value=False) for name, x in new.items()]
        inputs = {name: x.handle for name, x in states.items()} | self._op_inputs(grad, variable.dtype, settings)
        return [getattr(raw_ops, self._op.name)(**inputs, **self._flags())]

    def _apply_rows(self, grad, variable, settings) -> list:
        rows, summed = summed_rows(grad)
        states = self._states(variable)
        before = {name: x.sparse_read(rows) for name, x in states.items()}
        new = self._moved(before, summed, variable.dtype, settings)
        return [states[name].scatter_update(IndexedSlices(x, rows)) for name, x in new.items()]

    def _states(self, variable) -> dict:
        """The variable and its slots, by the op's names."""
        names = {ours: theirs for theirs, ours in self.INPUTS.items()}
        slots = {names.get(name, name): self._slots[name][variable._unique_id] for name in self.SLOTS}
        return {"var": variable, **slots}

    @property
    def _op(self) -> opdef.OpDef:
        return opdef.lookup(f"ResourceApply{self.OP}")

    def _op_inputs(self, grad, dtype, settings) -> dict:
        """The op's inputs other than the states."""
        given = {"grad": grad, "delta": grad, **settings}
        wanted = {arg.name: dtypes.int64 if arg.type == "DT_INT64" else dtype for arg in self._op.inputs}
        return {name: _cast(given[name], wanted[name]) for name in wanted if name in given}

    def _moved(self, before: dict, grad, dtype, settings) -> dict:
        """What the op's rule makes of the states, on tensors."""
        defaults = {name: attr.default for name, attr in self._op.attrs.items()}
        operands = before | self._op_inputs(grad, dtype, settings)
        return DENSE[self.OP](xp, SimpleNamespace(**defaults | operands | self._flags()))


def _cast(x: Any, dtype: dtypes.DType) -> Any:
    return x if x.dtype == dtype else run("Cast", x, DstT=dtype)


def _variable(variable: Any) -> Any:
    """The `tf.Variable` inside a variable of Keras; other variables are themselves."""
    inner = getattr(variable, "value", None)
    return inner if isinstance(inner, Variable) else variable


def _flat(variables) -> list:
    return nest.flatten(variables)


@export("compat.v1.train.GradientDescentOptimizer")
class GradientDescentOptimizer(Optimizer):
    """`v -= rate · g`.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.compat.v1.train.GradientDescentOptimizer(0.25).minimize(lambda: v * 2.0, var_list=[v])
    >>> v.numpy().item()
    0.5
    """

    OP = "GradientDescent"
    SETTINGS = {"alpha": "_learning_rate"}

    def __init__(self, learning_rate, use_locking=False, name="GradientDescent"):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _apply_rows(self, grad, variable, settings) -> list:
        rate = _cast(settings["alpha"], variable.dtype)
        return [variable.scatter_sub(IndexedSlices(grad.values * rate, grad.indices))]


@export("compat.v1.train.MomentumOptimizer")
class MomentumOptimizer(Optimizer):
    """A running sum of gradients moves the variable.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.compat.v1.train.MomentumOptimizer(0.25, momentum=0.9).minimize(lambda: v * 2.0, var_list=[v])
    >>> v.numpy().round(4).item()
    0.5
    """

    OP = "Momentum"
    SETTINGS = {"lr": "_learning_rate", "momentum": "_momentum"}
    INPUTS = {"accum": "momentum"}
    SLOTS = {"momentum": 0.0}

    def __init__(self, learning_rate, momentum, use_locking=False, name="Momentum", use_nesterov=False):
        super().__init__(use_locking, name)
        self._learning_rate, self._momentum, self._use_nesterov = learning_rate, momentum, use_nesterov

    def _flags(self):
        return super()._flags() | {"use_nesterov": self._use_nesterov}


@export("compat.v1.train.AdagradOptimizer")
class AdagradOptimizer(Optimizer):
    """Each element's rate falls with the sum of its squared gradients.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.compat.v1.train.AdagradOptimizer(0.25).minimize(lambda: v * 2.0, var_list=[v])
    >>> round(v.numpy().item(), 4)
    0.7531
    """

    OP = "Adagrad"
    SETTINGS = {"lr": "_learning_rate"}
    INPUTS = {"accum": "accumulator"}
    SLOTS = {"accumulator": "_initial"}

    def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False, name="Adagrad"):
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(use_locking, name)
        self._learning_rate, self._initial = learning_rate, initial_accumulator_value


@export("compat.v1.train.RMSPropOptimizer")
class RMSPropOptimizer(Optimizer):
    """Each element's rate falls with the running mean of its squared gradients.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.compat.v1.train.RMSPropOptimizer(0.25).apply_gradients([(tf.constant(2.0), v)])
    >>> f"{v.numpy():.4f}"
    '0.5615'
    """

    SETTINGS = {"lr": "_learning_rate", "rho": "_decay", "momentum": "_momentum", "epsilon": "_epsilon"}
    INPUTS = {"ms": "rms", "mom": "momentum"}
    LABELS = Optimizer.LABELS | {"rho": "decay"}

    def __init__(
        self, learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False, centered=False, name="RMSProp"
    ):
        super().__init__(use_locking, name)
        self._learning_rate, self._decay, self._momentum, self._epsilon = learning_rate, decay, momentum, epsilon
        self.OP = "CenteredRMSProp" if centered else "RMSProp"
        self.SLOTS = {"rms": 1.0} | ({"mg": 0.0} if centered else {}) | {"momentum": 0.0}


@export("compat.v1.train.AdamOptimizer")
class AdamOptimizer(Optimizer):
    """Running means of gradients and of their squares, corrected for their start at zero.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.compat.v1.train.AdamOptimizer(0.25).minimize(lambda: v * 2.0, var_list=[v])
    >>> v.numpy().round(4).item()
    0.75
    """

    OP = "Adam"
    SETTINGS = {"lr": "_learning_rate", "beta1": "_beta1", "beta2": "_beta2", "epsilon": "_epsilon"}
    SLOTS = {"m": 0.0, "v": 0.0}
    sparse_by_rows = False  # the means of all rows decay

    def __init__(
        self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False, name="Adam",
        use_own_namescope_for_non_slot_vars=False,
    ):
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._learning_rate, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon

    def _make_slots(self, variables):
        self._number("beta1_power", self._beta1)
        self._number("beta2_power", self._beta2)
        super()._make_slots(variables)

    def _settings(self):
        powers = {power: self._numbers[power].value() for power in ("beta1_power", "beta2_power")}
        return powers | super()._settings()

    def _get_beta_accumulators(self):
        """The powers of both decays; None before the first step."""
        return self._numbers.get("beta1_power"), self._numbers.get("beta2_power")

    def _finish(self, update_ops, name_scope):
        powers = {"beta1_power": self._beta1, "beta2_power": self._beta2}
        with control_dependencies(update_ops):
            moved = [
                self._numbers[n].assign(self._numbers[n].value() * self._call_if_callable(beta), read_value=False)
                for n, beta in powers.items()
            ]
        return super()._finish([*update_ops, *moved], name_scope)


@export("compat.v1.train.AdadeltaOptimizer")
class AdadeltaOptimizer(Optimizer):
    """Steps in the units of the variable: the ratio of running means of past steps and of gradients.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.compat.v1.train.AdadeltaOptimizer(rho=0.5).minimize(lambda: -v, var_list=[v])
    >>> bool(v > 1.0)
    True
    """

    OP = "Adadelta"
    SETTINGS = {"lr": "_learning_rate", "rho": "_rho", "epsilon": "_epsilon"}
    SLOTS = {"accum": 0.0, "accum_update": 0.0}

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-8, use_locking=False, name="Adadelta"):
        super().__init__(use_locking, name)
        self._learning_rate, self._rho, self._epsilon = learning_rate, rho, epsilon


@export("compat.v1.train.FtrlOptimizer")
class FtrlOptimizer(Optimizer):
    """Follow the regularised leader: variables that a penalty holds at zero.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.compat.v1.train.FtrlOptimizer(
    ...     0.25, l1_regularization_strength=0.1
    ... ).minimize(lambda: v * 2.0, var_list=[v])
    >>> round(v.numpy().item(), 4)
    0.5845
    """

    SLOTS = {"accum": "_initial", "linear": 0.0}

    def __init__(
        self, learning_rate, learning_rate_power=-0.5, initial_accumulator_value=0.1, l1_regularization_strength=0.0,
        l2_regularization_strength=0.0, use_locking=False, name="Ftrl", accum_name=None, linear_name=None,
        l2_shrinkage_regularization_strength=0.0, beta=None,
    ):
        if initial_accumulator_value < 0.0:
            raise ValueError(
                f"`initial_accumulator_value` needs to be positive or zero. Received: {initial_accumulator_value}"
            )
        if learning_rate_power > 0.0:
            raise ValueError(f"`learning_rate_power` needs to be negative or zero. Received: {learning_rate_power}")
        super().__init__(use_locking, name)
        self._learning_rate, self._power, self._initial = learning_rate, learning_rate_power, initial_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength
        self._shrinkage, self._beta = l2_shrinkage_regularization_strength, beta or 0.0
        self.OP = "FtrlV2" if l2_shrinkage_regularization_strength > 0.0 else "Ftrl"
        self._labels = {"accum": accum_name, "linear": linear_name}

    def _slot_label(self, name):
        return self._labels[name] or self._name

    def _settings(self):
        rate = convert_to_tensor(self._call_if_callable(self._learning_rate), name="learning_rate")
        twice = run("Maximum", rate, constant(1e-36, rate.dtype)) * 2.0
        shrinkage = {"l2_shrinkage": self._shrinkage} if self.OP == "FtrlV2" else {}
        return {
            "lr": rate, "l1": self._l1, "l2": self._l2 + self._beta / twice, "lr_power": self._power, **shrinkage
        }