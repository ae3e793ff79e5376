"""Random numbers by seed, variables, checks. What needs a variable or a seed of its own runs at once only; its traced
forms are
tested where state is tested."""
# ruff: noqa: E501 - a case is one line

from tests.ops.inputs import bools, const, normal, positive
from tests.ops.table import EAGER, FLOATS, case, raw

# --- stateless random numbers: the same bits as TensorFlow's

SEED = const([3, 7], "int32")
for _name, _op in (("stateless_uniform", "StatelessRandomUniformV2"), ("stateless_normal", "StatelessRandomNormalV2"),
                   ("stateless_truncated_normal", "StatelessTruncatedNormalV2")):
    for _dtype in ("float32", "float64", "bfloat16", "float16"):
        case(f"{_op} {_dtype}", lambda tf, s, _n=_name, _d=_dtype: getattr(tf.random, _n)([2, 5], s, dtype=_d), SEED, grad=False)
case("StatelessRandomUniformIntV2", lambda tf, s: tf.random.stateless_uniform([7], s, -5, 100, tf.int32), SEED, grad=False)
case("StatelessRandomUniformIntV2 int64", lambda tf, s: tf.random.stateless_uniform([7], s, -5, 100, tf.int64), SEED, grad=False)
case("StatelessRandomUniformFullIntV2", lambda tf, s: tf.random.stateless_uniform([7], s, None, None, tf.int32), SEED, grad=False)
case("StatelessRandomUniformFullIntV2 uint64", lambda tf, s: tf.random.stateless_uniform([7], s, None, None, tf.uint64), SEED, grad=False)
case("StatelessMultinomial", lambda tf, s, x: tf.random.stateless_categorical(x, 5, s), SEED, normal(2, 4), grad=False)
case("StatelessShuffle", lambda tf, s: tf.random.experimental.stateless_shuffle(tf.range(8), s), SEED, grad=False)
case("StatelessRandomGetKeyCounter", lambda tf, s: raw(tf, "StatelessRandomGetKeyCounter", seed=s), SEED, grad=False)
case("StatelessRandomUniformFullIntV2 split", lambda tf, s: tf.random.split(s, 3), SEED, grad=False)
case("StatelessRandomUniformFullIntV2 fold_in", lambda tf, s: tf.random.fold_in(s, 5), SEED, grad=False)
for _op in ("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"):
    case(_op, lambda tf, s, _op=_op: raw(tf, _op, shape=[2, 5], seed=s), SEED, grad=False)
case("StatelessRandomUniformInt", lambda tf, s: raw(tf, "StatelessRandomUniformInt", shape=[5], seed=s, minval=0, maxval=9), SEED, grad=False)
case("StatelessRandomUniformFullInt", lambda tf, s: raw(tf, "StatelessRandomUniformFullInt", shape=[5], seed=s, dtype=tf.int32), SEED, grad=False)

case("StatelessRandomGetAlg", lambda tf: raw(tf, "StatelessRandomGetAlg"), grad=False)
case("StatelessRandomGetKeyCounterAlg", lambda tf, s: raw(tf, "StatelessRandomGetKeyCounterAlg", seed=s), SEED, grad=False)
case("StatelessRandomGammaV3", lambda tf, s, a: tf.random.stateless_gamma([4, 2], s, a), SEED, positive(2), grad=False)
case("StatelessRandomGammaV2", lambda tf, s, a: raw(tf, "StatelessRandomGammaV2", shape=[4, 2], seed=s, alpha=a), SEED, positive(2), grad=False)
case("StatelessRandomBinomial", lambda tf, s: tf.random.stateless_binomial([6], s, 10.0, 0.4), SEED, grad=False)
case("StatelessRandomPoisson", lambda tf, s: tf.random.stateless_poisson([6], s, 2.5), SEED, grad=False)


# --- random numbers with state


def _seeded(draw):
    def expression(tf):
        tf.random.set_seed(1234)
        return [draw(tf), draw(tf)]

    return expression


case("RandomUniform", _seeded(lambda tf: tf.random.uniform([2, 3])), modes=EAGER, grad=False)
case("RandomUniform op seed", _seeded(lambda tf: tf.random.uniform([2, 3], seed=5)), modes=EAGER, grad=False)
case("RandomUniformInt", _seeded(lambda tf: tf.random.uniform([6], 0, 10, tf.int32)), modes=EAGER, grad=False)
case("RandomStandardNormal", _seeded(lambda tf: tf.random.normal([2, 3], 1.0, 2.0)), modes=EAGER, grad=False)
case("TruncatedNormal", _seeded(lambda tf: tf.random.truncated_normal([2, 3])), modes=EAGER, grad=False)
case("RandomShuffle", _seeded(lambda tf: tf.random.shuffle(tf.range(6))), modes=EAGER, grad=False)
case("Multinomial", _seeded(lambda tf: tf.random.categorical([[0.1, 0.9, 2.0]], 6)), modes=EAGER, grad=False)
case("RngReadAndSkip", lambda tf: (lambda g: [g.normal([3]), g.uniform([3]), g.uniform_full_int([2])])(tf.random.Generator.from_seed(7)), modes=EAGER, grad=False)
case("RngSkip", lambda tf: (lambda g: [g.skip(3), g.uniform([2])][1:])(tf.random.Generator.from_seed(7)), modes=EAGER, grad=False)
case("RandomGamma", _seeded(lambda tf: tf.random.gamma([3], [0.5, 2.0])), modes=EAGER, grad=False)
case("RandomPoissonV2", _seeded(lambda tf: tf.random.poisson([3], [0.5, 12.0])), modes=EAGER, grad=False)
case("StatefulRandomBinomial", lambda tf: tf.random.Generator.from_seed(7).binomial([5], 10.0, 0.3), modes=EAGER, grad=False)
case("RandomUniform dropout", _seeded(lambda tf: tf.nn.dropout(tf.ones([3, 4]), 0.5)), modes=EAGER, grad=False)


# --- variables


def _variable(change):
    def expression(tf, x, *rest):
        variable = tf.Variable(x)
        result = change(tf, variable, *rest)
        return [variable.read_value(), variable + 1] + ([] if result is None else [result])

    return expression


case("ReadVariableOp", _variable(lambda tf, v: v * v), normal(2, 3), modes=EAGER, grad=False, covers=("VarHandleOp",))
case("AssignVariableOp", _variable(lambda tf, v, y: v.assign(y)), normal(2, 3), normal(2, 3), modes=EAGER, grad=False)
case("AssignAddVariableOp", _variable(lambda tf, v, y: v.assign_add(y)), normal(2, 3), normal(2, 3), modes=EAGER, grad=False)
case("AssignSubVariableOp", _variable(lambda tf, v, y: v.assign_sub(y)), normal(2, 3), normal(2, 3), modes=EAGER, grad=False)
case("ResourceGather", _variable(lambda tf, v: tf.gather(v, [1, 0, 1])), normal(2, 3), modes=EAGER, grad=False)
case("VariableShape", _variable(lambda tf, v: tf.shape(v)), normal(2, 3), modes=EAGER, grad=False)
for _mode in ("add", "sub", "mul", "div", "min", "max", "update"):
    case(f"ResourceScatter{_mode.capitalize()}",
         _variable(lambda tf, v, y, _m=_mode: getattr(v, f"scatter_{_m}")(tf.IndexedSlices(y, tf.constant([1, 3])))), normal(4, 2), normal(2, 2),
         modes=EAGER, grad=False)
for _mode in ("update", "add", "sub", "min", "max"):
    case(f"ResourceScatterNd{_mode.capitalize()}", _variable(lambda tf, v, y, _m=_mode: getattr(v, f"scatter_nd_{_m}")([[1], [3]], y)), normal(4, 2),
         normal(2, 2), modes=EAGER, grad=False)
case("ResourceCountUpTo", lambda tf: tf.Variable(3).count_up_to(5), modes=EAGER, grad=False)
case("ResourceStridedSliceAssign", _variable(lambda tf, v, y: v[1:3, 0].assign(y)), normal(4, 2), normal(2), modes=EAGER, grad=False)

# --- checks

case("CheckNumericsV2", lambda tf, x: tf.raw_ops.CheckNumericsV2(tensor=x, message="x"), normal(3), dtypes=FLOATS)
case("CheckNumerics", lambda tf, x: tf.debugging.check_numerics(x, "x"), normal(3), dtypes=FLOATS)
case("Assert", lambda tf, x: tf.debugging.Assert(tf.reduce_all(x > -100.0), [x]) or x, normal(3), modes=EAGER, grad=False)

# --- control flow on tensors

case("StatelessIf", lambda tf, c, x: tf.cond(c, lambda: x * 2.0, lambda: x - 1.0), bools(), normal(3), dtypes=FLOATS)
case("StatelessIf true", lambda tf, x: tf.cond(tf.reduce_sum(x * x) > 0.0, lambda: tf.exp(x), lambda: x), normal(3))
case("StatelessCase", lambda tf, i, x: tf.switch_case(i, [lambda: x, lambda: x * x, lambda: tf.sin(x)]), const(1, "int32"), normal(3))
case("StatelessWhile", lambda tf, x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [tf.constant(0), x])[1], normal(3), dtypes=FLOATS)
case("StatelessWhile map_fn", lambda tf, x: tf.map_fn(lambda row: tf.reduce_sum(row * row), x), normal(3, 2), covers=("TensorListReserve", "TensorListStack"))
case("StatelessWhile scan", lambda tf, x: tf.scan(lambda a, row: a * 0.5 + row, x), normal(4, 2), covers=("TensorListFromTensor",))
case("StatelessWhile foldl", lambda tf, x: tf.foldl(lambda a, row: a * 0.5 + row, x), normal(4, 2))
case("PartitionedCall", lambda tf, x: tf.function(lambda y: y * y + 1.0)(x), normal(3), dtypes=FLOATS)

# --- lists


def _array(tf, x):
    array = tf.TensorArray(x.dtype, size=3, element_shape=x.shape[1:])
    for i in range(3):
        array = array.write(i, x[i] * float(i + 1))
    return [array.stack(), array.read(1), array.gather([2, 0])]


case("TensorListSetItem", _array, normal(3, 2), covers=("TensorListGetItem", "TensorListStack", "TensorListGather"))
case("TensorListFromTensor", lambda tf, x: (lambda a: [a.read(0), a.read(2)])(tf.TensorArray(x.dtype, size=3).unstack(x)), normal(3, 2))
case("TensorListConcatV2", lambda tf, x: tf.TensorArray(x.dtype, size=2, infer_shape=False).write(0, x[:1]).write(1, x[1:]).concat(), normal(3, 2))
case("TensorListScatterIntoExistingList", lambda tf, x: tf.TensorArray(x.dtype, size=3).scatter([2, 0, 1], x).stack(), normal(3, 2))
case("TensorListSplit", lambda tf, x: tf.TensorArray(x.dtype, size=2, infer_shape=False).split(x, [1, 2]).read(1), normal(3, 2))


def _pushed(tf, x):
    pushed = raw(tf, "EmptyTensorList", element_shape=tf.constant([2]), max_num_elements=-1, element_dtype=x.dtype)
    for i in range(3):
        pushed = raw(tf, "TensorListPushBack", input_handle=pushed, tensor=x[i])
    popped, last = raw(tf, "TensorListPopBack", input_handle=pushed, element_shape=[2], element_dtype=x.dtype)
    longer = raw(tf, "TensorListResize", input_handle=popped, size=4)
    return [last, raw(tf, "TensorListLength", input_handle=longer), raw(tf, "TensorListElementShape", input_handle=longer, shape_type=tf.int32),
            raw(tf, "TensorListStack", input_handle=popped, element_shape=[2], element_dtype=x.dtype)]


case("TensorListPushBack", _pushed, normal(3, 2), covers=("EmptyTensorList", "TensorListPopBack", "TensorListResize", "TensorListLength", "TensorListElementShape"))
