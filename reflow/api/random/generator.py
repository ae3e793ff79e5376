"""`tf.random.Generator`: a stream of random numbers whose position is an ordinary variable.

The state is int64[3]: a 128-bit Philox counter, then the key (for ThreeFry int64[2]; as in TensorFlow, drawing from it
needs XLA on a TPU). Drawing n numbers reads the state, advances the counter by 256 n (`RngReadAndSkip`) and passes the
old state to a stateless op; so it is saved, restored and traced like any variable.

A generator that is made in a strategy's scope has a copy of the state for each replica. The copies advance in step, and
replicas draw different numbers, because each hashes the key with its own number.
"""

from __future__ import annotations

import contextlib
from typing import Any

from reflow.api.call import call
from reflow.api.export import export
from reflow.api.random.sampling import Algorithm, algorithm_number, shape_tensor
from reflow.core import context, dtypes
from reflow.core.properties import read_only
from reflow.eager.variables import Variable
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.random_state import deterministic
from reflow.tracking.trackable import AutoTrackable

_WORD = 1 << 64


def _variable_class():
    return Variable


def _name_scope():
    """In functions, and only there, TensorFlow puts the state's name below another."""
    graph = context.state.graph
    return contextlib.nullcontext() if graph is None else graph.scope("random_generator")


def _state_size(alg) -> int:
    return 2 if alg == Algorithm.THREEFRY.value else 3


def _signed(n: int) -> int:
    n %= _WORD
    return n - _WORD if n >= _WORD // 2 else n


@export("random.create_rng_state", "random.experimental.create_rng_state")
def create_rng_state(seed, alg):
    """Makes the state of a generator of a seed.

    Args:
      seed: An integer, which is split into words of 64 bits, or up to three integers.
      alg: "philox", "threefry" or "auto_select", or a member of `tf.random.Algorithm`.

    Returns:
      A vector of dtype int64: three numbers for Philox, two for ThreeFry.

    Raises:
      ValueError: There is no such algorithm.

    >>> create_rng_state(5, "philox").numpy()
    array([5, 0, 0])
    """
    state_size = _state_size(algorithm_number(alg))
    if isinstance(seed, int):
        return constant([_signed(seed >> 64 * i) for i in range(state_size)], dtypes.int64)
    if isinstance(seed, (list, tuple)) and all(isinstance(s, int) for s in seed):
        words = [_signed(s) for s in seed][:state_size]
        return constant([0] * (state_size - len(words)) + words, dtypes.int64)
    seed = call("Reshape", (_as_int64(seed), constant([-1])))
    size = seed.shape[0]
    if size is None:
        raise ValueError(f"The seed of a generator must have a known number of elements. Received: seed={seed}")
    seed = call("Slice", (seed, constant([0]), constant([min(size, state_size)])))
    return call("PadV2", (seed, constant([[max(0, state_size - size), 0]]), constant(0, dtypes.int64)))


def _as_int64(value):
    value = convert_to_tensor(value)
    return value if value.dtype is dtypes.int64 else call("Cast", (value,), {"DstT": dtypes.int64})


@export("random.Generator", "random.experimental.Generator")
class Generator(AutoTrackable):
    """Draws random numbers from a state that advances with each draw.

    The class methods `from_seed`, `from_state`, `from_key_counter` and `from_non_deterministic_state` make one.

    Args:
      copy_from: A generator whose state and algorithm the new one starts with.
      state: The state, a vector of dtype int64, or a variable that is then shared; goes with `alg`.
      alg: The algorithm, "philox" or "auto_select", or a member of `tf.random.Algorithm`.

    Raises:
      AssertionError: There is neither `copy_from` nor both `state` and `alg`, or too much of them.
      ValueError: The state has another length.

    >>> g = Generator.from_seed(5)
    >>> g.normal([2]).numpy().round(4)
    array([1.0279, 0.2797], dtype=float32)
    """

    def __init__(self, copy_from=None, state=None, alg=None):
        if copy_from is not None:
            if state is not None or alg is not None:
                raise AssertionError("`copy_from` cannot be given together with `state` or `alg`.")
            state, alg = copy_from.state, copy_from.algorithm
        elif state is None or alg is None:
            raise AssertionError("Generator needs `copy_from`, or both `state` and `alg`.")
        variable = _variable_class()
        self._alg = algorithm_number(alg)
        self._strategy = context.state.strategy
        if isinstance(state, variable) and copy_from is None:
            self._state_var = state
        else:
            value = _as_int64(state)
            _check_state(value.shape, self._alg)
            with _name_scope():
                self._state_var = variable(value, dtype=dtypes.int64, trainable=False, name="StateVar")

    @classmethod
    def from_state(cls, state, alg):
        """Makes a generator that continues from a state.

        Args:
          state: A vector of dtype int64, or a variable that is then shared.
          alg: The algorithm of the state.

        Returns:
          A generator.
        """
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed, alg=None):
        """Makes a generator of a seed; the same seed gives the same numbers.

        Args:
          seed: An integer, or up to three of them.
          alg: The algorithm; by default Philox.

        Returns:
          A generator.
        """
        alg = Algorithm.PHILOX if alg is None else alg
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg=None):
        """Makes a generator that starts where the operating system says.

        Args:
          alg: The algorithm; by default Philox.

        Returns:
          A generator.

        Raises:
          RuntimeError: Op determinism is enabled.
        """
        if deterministic():
            raise RuntimeError('"from_non_deterministic_state" cannot be called when determinism is enabled.')
        alg = Algorithm.PHILOX if alg is None else alg
        size = constant([_state_size(algorithm_number(alg))], dtypes.int64)
        return cls(state=call("NonDeterministicInts", (size,), {"dtype": dtypes.int64}), alg=alg)

    @classmethod
    def from_key_counter(cls, key, counter, alg):
        """Makes a generator of a key and a counter.

        Args:
          key: A number.
          counter: Two numbers; one for ThreeFry.
          alg: The algorithm.

        Returns:
          A generator.

        Raises:
          ValueError: The counter has another length.
        """
        return cls(state=_key_counter_state(key, counter, algorithm_number(alg)), alg=alg)

    state = read_only("_state_var", "The variable that holds the state.")
    algorithm = read_only("_alg", "The number of the algorithm: 1 is Philox.")

    @property
    def key(self):
        """The key, a scalar: equal keys and counters mean equal numbers."""
        return self._state_var[-1]

    def reset(self, state):
        """Continues from another state.

        Args:
          state: A vector of dtype int64.

        Raises:
          ValueError: The state has another length.
        """
        state = _as_int64(state)
        _check_state(state.shape, self._alg)
        self._state_var.assign(state)

    def reset_from_seed(self, seed):
        """Starts again from a seed.

        Args:
          seed: An integer, or up to three of them.
        """
        self._state_var.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key, counter):
        """Continues from a key and a counter.

        Args:
          key: A number.
          counter: Two numbers; one for ThreeFry.

        Raises:
          ValueError: The counter has another length.
        """
        self._state_var.assign(_key_counter_state(key, counter, self._alg))

    def skip(self, delta):
        """Moves on as if `delta` numbers had been drawn.

        Args:
          delta: How many.

        Returns:
          The state before, a vector of dtype int64.
        """
        delta = convert_to_tensor(delta)
        if delta.dtype is not dtypes.uint64:
            delta = call("Cast", (delta,), {"DstT": dtypes.uint64})
        strategy = self._strategy
        if strategy is None or context.state.variant is context.Variant.SAVING:
            return self._advance(self._state_var, delta)
        with contextlib.nullcontext() if context.state.strategy is strategy else strategy.scope():
            if context.state.replica_context is not None:
                return self._advance(self._state_var, delta)
            return strategy.extended.update(self._state_var, self._advance, (delta,))

    def _advance(self, state, delta):
        return call("RngReadAndSkip", (state.handle, constant(self._alg, dtypes.int32), delta))

    def _key_of_replica(self, key):
        replica = context.state.replica_context
        if self._strategy is None or replica is None:
            return key
        number = convert_to_tensor(replica.replica_id_in_sync_group, dtypes.int32)
        number = call("Cast", (call("Pack", (number, constant(0)), {"N": 2, "axis": 0}),), {"DstT": dtypes.uint64})
        inputs = constant([1]), key, number, constant(self._alg, dtypes.int32)
        return call("StatelessRandomUniformFullIntV2", inputs, {"dtype": dtypes.uint64})

    def _draw(self, op_name, shape, bounds=(), attrs=None, name=None):
        shape = shape_tensor(shape)
        count = call("Prod", (shape, constant([0])), {"keep_dims": False})
        state = call("Bitcast", (convert_to_tensor(self.skip(count)),), {"type": dtypes.uint64})
        counter = call("Slice", (state, constant([0]), constant([2])))
        key = self._key_of_replica(call("Slice", (state, constant([2]), constant([1]))))
        return call(op_name, (shape, key, counter, constant(self._alg, dtypes.int32), *bounds), attrs or {}, name)

    def _scaled(self, op_name, shape, mean, stddev, dtype, name):
        dtype = dtypes.as_dtype(dtype)
        samples = self._draw(op_name, shape, attrs={"dtype": dtype})
        scaled = call("Mul", (samples, convert_to_tensor(stddev, dtype)))
        return call("AddV2", (scaled, convert_to_tensor(mean, dtype)), label=name)

    def normal(self, shape, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name=None):
        """Draws normally distributed numbers.

        Args:
          shape: The shape of the result.
          mean: The mean, a number or a tensor that broadcasts with the result.
          stddev: The standard deviation, in the same way.
          dtype: The dtype of the result, a float.
          name: A name for the operation.

        Returns:
          A tensor of the given shape and dtype.
        """
        return self._scaled("StatelessRandomNormalV2", shape, mean, stddev, dtype, name)

    def truncated_normal(self, shape, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name=None):
        """Draws normally distributed numbers within two deviations of the mean.

        Args:
          shape: The shape of the result.
          mean: The mean before truncation, a number or a tensor that broadcasts with the result.
          stddev: The standard deviation before truncation, in the same way.
          dtype: The dtype of the result, a float.
          name: A name for the operation.

        Returns:
          A tensor of the given shape and dtype.
        """
        return self._scaled("StatelessTruncatedNormalV2", shape, mean, stddev, dtype, name)

    def uniform(self, shape, minval: Any = 0, maxval=None, dtype: Any = dtypes.float32, name=None):
        """Draws evenly distributed numbers of `[minval, maxval)`.

        Args:
          shape: The shape of the result.
          minval: The least number; for integers None, together with `maxval`, means the whole range of the dtype.
          maxval: The end of the range, which is excluded; 1 by default for floats.
          dtype: The dtype of the result.
          name: A name for the operation.

        Returns:
          A tensor of the given shape and dtype.

        Raises:
          ValueError: An integer range has one bound only.
        """
        dtype = dtypes.as_dtype(dtype)
        if dtype.is_integer:
            if (minval is None) != (maxval is None):
                raise ValueError(
                    f"For integer dtype {dtype}, minval and maxval must be both `None` or both non-`None`; got "
                    f"minval={minval} and maxval={maxval}"
                )
            if minval is None:
                return self.uniform_full_int(shape, dtype, name)
            bounds = convert_to_tensor(minval, dtype), convert_to_tensor(maxval, dtype)
            return self._draw("StatelessRandomUniformIntV2", shape, bounds, name=name)
        low, high = convert_to_tensor(minval, dtype), convert_to_tensor(1 if maxval is None else maxval, dtype)
        samples = self._draw("StatelessRandomUniformV2", shape, attrs={"dtype": dtype})
        return call("AddV2", (call("Mul", (samples, call("Sub", (high, low)))), low), label=name)

    def uniform_full_int(self, shape, dtype: Any = dtypes.uint64, name=None):
        """Draws integers of the whole range of `dtype`.

        Args:
          shape: The shape of the result.
          dtype: The dtype of the result: int32, int64, uint32 or uint64.
          name: A name for the operation.

        Returns:
          A tensor of the given shape and dtype.
        """
        return self._draw("StatelessRandomUniformFullIntV2", shape, attrs={"dtype": dtypes.as_dtype(dtype)}, name=name)

    def binomial(self, shape, counts, probs, dtype: Any = dtypes.int32, name=None):
        """Draws the number of successes among `counts` trials that succeed with probability `probs`.

        Args:
          shape: The shape of the result, which ends in that of the parameters.
          counts: The number of trials, a tensor of numbers.
          probs: The probability of a success, of the same dtype.
          dtype: The dtype of the result.
          name: A name for the operation.

        Returns:
          A tensor of the given shape and dtype.
        """
        dtype = dtypes.as_dtype(dtype)
        counts = convert_to_tensor(counts)
        probs = convert_to_tensor(probs, counts.dtype)
        inputs = self._state_var.handle, constant(self._alg, dtypes.int64), shape_tensor(shape), counts, probs
        return call("StatefulRandomBinomial", inputs, {"dtype": dtype}, name)

    def make_seeds(self, count=1):
        """Makes seeds for stateless ops.

        Args:
          count: How many seeds.

        Returns:
          A tensor of shape `[2, count]` and dtype int64, with a seed in each column.
        """
        keys = self.uniform_full_int([count], dtypes.int64)
        return call("Pack", (keys, call("ZerosLike", (keys,))), {"N": 2, "axis": 0})

    def split(self, count=1):
        """Makes new generators with keys drawn from this one.

        Args:
          count: How many generators.

        Returns:
          A list of generators.
        """
        keys = call("Unpack", (self.uniform_full_int([count], dtypes.int64),), {"num": count, "axis": 0})
        zero = constant(0, dtypes.int64)
        return [Generator(state=call("Pack", (zero, zero, key), {"N": 3, "axis": 0}), alg=self._alg) for key in keys]


def _check_state(shape, alg):
    if shape.as_list() != [_state_size(alg)]:
        raise ValueError(f"Shapes {shape} and [{_state_size(alg)}] are incompatible")


def _key_counter_state(key, counter, alg):
    counter, key = _as_int64(counter), _as_int64(key)
    if counter.shape.as_list() != [_state_size(alg) - 1]:
        raise ValueError(f"The counter of a generator has {_state_size(alg) - 1} numbers. Received: counter={counter}")
    key = call("Reshape", (key, constant([1])))
    return call("ConcatV2", (counter, key, constant(0)), {"N": 2})


_global: Generator | None = None


@export("random.get_global_generator", "random.experimental.get_global_generator")
def get_global_generator():
    """Returns the global generator; it is created from the operating system's randomness on first use.

    Returns:
      A `tf.random.Generator`.

    >>> tf.random.get_global_generator().normal([2]).shape
    TensorShape([2])
    """
    global _global
    if _global is None:
        if deterministic():
            raise RuntimeError(
                '"get_global_generator" cannot be called if determinism is enabled, unless "set_global_generator" has '
                'already been called. Please call "set_global_generator" first.'
            )
        _global = Generator.from_non_deterministic_state()
    return _global


@export("random.set_global_generator", "random.experimental.set_global_generator")
def set_global_generator(generator):
    """Replaces the global generator. Functions traced before keep the old one.

    Args:
      generator: A `tf.random.Generator`.

    Returns:
      None.

    >>> tf.random.set_global_generator(tf.random.Generator.from_seed(7))
    >>> tf.random.get_global_generator().normal([2]).shape
    TensorShape([2])
    """
    global _global
    _global = generator
