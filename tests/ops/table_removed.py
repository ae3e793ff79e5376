"""Ops that TensorFlow runs only in graphs of long ago, or not at all today: here it runs what has replaced them."""
# ruff: noqa: E501 - a case is one line

from tests.ops.inputs import const, distinct, normal, positive, regular, spd
from tests.ops.table import EAGER, case, raw

_DECOMPOSED = (20.0, "another algorithm for the same decomposition")


def _renamed(name, arguments, *inputs, first=False, grad=True, loose=(1.0, ""), **attrs):
    """`Batch<name>` on inputs that are called by `arguments`, in place of `name`; `first` takes the first result alone."""
    def run(op):
        def expression(tf, *xs):
            given = [tf.constant(x, tf.int64) if isinstance(x, int) else x for x in (*xs, *rest)]
            out = raw(tf, op, **dict(zip(arguments.split(), given)), **attrs)
            return out[0] if first else out

        return expression

    rest = [x for x in inputs if isinstance(x, int)]
    tensors = [x for x in inputs if not isinstance(x, int)]
    case(f"Batch{name}", run(f"Batch{name}"), *tensors, reference=run(name), grad=grad, loose=loose)


_renamed("Cholesky", "input", spd(2, 3, 3))
_renamed("MatrixBandPart", "input num_lower num_upper", normal(2, 3, 4), 1, 0)
_renamed("MatrixDeterminant", "input", regular(2, 3, 3), loose=_DECOMPOSED)
_renamed("MatrixDiag", "diagonal", normal(2, 3))
_renamed("MatrixDiagPart", "input", normal(2, 3, 4))
_renamed("MatrixInverse", "input", regular(2, 3, 3), adjoint=True, loose=_DECOMPOSED)
_renamed("MatrixSetDiag", "input diagonal", normal(2, 3, 4), normal(2, 3))
_renamed("MatrixSolve", "matrix rhs", regular(2, 3, 3), normal(2, 3, 2), loose=_DECOMPOSED)
_renamed("MatrixTriangularSolve", "matrix rhs", regular(2, 3, 3), normal(2, 3, 2), loose=_DECOMPOSED)
_renamed("SelfAdjointEigV2", "input", spd(2, 3, 3), compute_v=False, first=True, loose=_DECOMPOSED)
_renamed("Svd", "input", normal(2, 3, 2), compute_uv=False, first=True, loose=_DECOMPOSED)
case("BatchCholeskyGrad", lambda tf, x, g: raw(tf, "BatchCholeskyGrad", l=tf.linalg.cholesky(x), grad=g), spd(3, 3), normal(3, 3), grad=False,
     reference=lambda tf, x, g: raw(tf, "CholeskyGrad", l=tf.linalg.cholesky(x), grad=g))
case("BatchMatrixSolveLs", lambda tf, a, b: raw(tf, "BatchMatrixSolveLs", matrix=a, rhs=b, l2_regularizer=tf.constant(0.1, tf.float64)), normal(2, 4, 3), normal(2, 4, 2), grad=False,
     loose=_DECOMPOSED, reference=lambda tf, a, b: raw(tf, "MatrixSolveLs", matrix=a, rhs=b, l2_regularizer=tf.constant(0.1, tf.float64)))
for _name in ("SelfAdjointEig", "BatchSelfAdjointEig"):  # eigenvectors up to their signs
    case(_name, lambda tf, x, _n=_name: tf.abs(raw(tf, _n, input=x)), spd(2, 3, 3), grad=False, modes=("eager", "compiled"), loose=_DECOMPOSED,
         reference=lambda tf, x: tf.abs(tf.concat([tf.linalg.eigh(x)[0][:, None], tf.linalg.eigh(x)[1]], 1)))
for _rank, _suffix in ((1, ""), (2, "2D"), (3, "3D")):
    for _way in ("FFT", "IFFT"):
        case(f"Batch{_way}{_suffix}", lambda tf, x, _n=_way + _suffix: raw(tf, f"Batch{_n}", input=x), normal(*[2] * (_rank + 1)), dtypes=("complex64",),
             reference=lambda tf, x, _n=_way + _suffix: raw(tf, _n, input=x))

_SUMS = (10.0, "sums of some fifty products in another order")
for _op, _input, _filter, _new in (("Conv2D{}V2", (1, 4, 4, 2), (3, 3, 2, 4), "Conv2D{}"), ("Conv3D{}", (1, 3, 3, 3, 2), (2, 2, 2, 2, 3), "Conv3D{}V2")):
    _out, _how = (*_input[:-1], _filter[-1]), dict(strides=[1] * len(_input), padding="SAME")
    case(_op.format("BackpropInput"), lambda tf, x, w, g, _op=_op, _how=_how: raw(tf, _op.format("BackpropInput"), input=x, filter=w, out_backprop=g, **_how), normal(*_input), normal(*_filter), normal(*_out),
         grad=False, loose=_SUMS, modes=("eager", "compiled"), reference=lambda tf, x, w, g, _new=_new, _how=_how: raw(tf, _new.format("BackpropInput"), input_sizes=tf.shape(x), filter=w, out_backprop=g, **_how))
    case(_op.format("BackpropFilter"), lambda tf, x, w, g, _op=_op, _how=_how: raw(tf, _op.format("BackpropFilter"), input=x, filter=w, out_backprop=g, **_how), normal(*_input), normal(*_filter), normal(*_out),
         grad=False, loose=_SUMS, modes=("eager", "compiled"), reference=lambda tf, x, w, g, _new=_new, _how=_how: raw(tf, _new.format("BackpropFilter"), input=x, filter_sizes=tf.shape(w), out_backprop=g, **_how))

for _scaled in (True, False):
    case(f"BatchNormWithGlobalNormalization {_scaled}", lambda tf, t, m, v, b, g, _s=_scaled: raw(tf, "BatchNormWithGlobalNormalization", t=t, m=m, v=v, beta=b, gamma=g, variance_epsilon=1e-3, scale_after_normalization=_s),
         normal(2, 3, 2, 2), normal(2), positive(2), normal(2), positive(2), covers=("BatchNormWithGlobalNormalizationGrad",), modes=("eager", "compiled"), loose=_SUMS,
         reference=lambda tf, t, m, v, b, g, _s=_scaled: tf.nn.batch_normalization(t, m, v, b, g if _s else 0 * g + 1, 1e-3))
case("TileGrad", lambda tf, x: raw(tf, "TileGrad", input=x, multiples=[2, 3]), normal(4, 6), modes=("eager", "compiled"), reference=lambda tf, x: tf.reduce_sum(tf.reshape(x, [2, 2, 3, 2]), [0, 2]))
case("AdjustContrast", lambda tf, x: raw(tf, "AdjustContrast", images=x, contrast_factor=2.0, min_value=-1.0, max_value=1.5), normal(2, 3, 3), grad=False,
     reference=lambda tf, x: tf.clip_by_value(tf.image.adjust_contrast(x, 2.0), -1.0, 1.5))
for _given in (True, False):
    case(f"QuantizeAndDequantize {_given}", lambda tf, x, _g=_given: raw(tf, "QuantizeAndDequantize", input=x, range_given=_g, input_min=-0.5, input_max=0.6), normal(5), grad=False,
         reference=lambda tf, x, _g=_given: raw(tf, "QuantizeAndDequantizeV2", input=x, range_given=_g, input_min=-0.5, input_max=0.6))
case("RandomPoisson", lambda tf, x: raw(tf, "RandomPoisson", shape=[3], rate=x, seed=1, seed2=2), const([4.0, 20.0]), modes=EAGER, grad=False,
     reference=lambda tf, x: raw(tf, "RandomPoissonV2", shape=[3], rate=x, seed=1, seed2=2, dtype=tf.float32))
case("AudioSummary", lambda tf, x: raw(tf, "AudioSummary", tag="sound", tensor=tf.tanh(x), sample_rate=8000.0, max_outputs=1), distinct(1, 4), grad=False,
     reference=lambda tf, x: raw(tf, "AudioSummaryV2", tag="sound", tensor=tf.tanh(x), sample_rate=8000.0, max_outputs=1))
case("TensorSummary", lambda tf, x: raw(tf, "TensorSummary", tensor=x, description="d", labels=["a"]), normal(2), modes=EAGER, grad=False)
