"""Elementwise ops, reductions, scans, segments, special functions."""
# ruff: noqa: E501 - a case is one line

from tests.ops.inputs import (
    above_one,
    bools,
    const,
    distinct,
    ints,
    nonfinite,
    normal,
    positive,
    probability,
    ties,
    unit,
    zeros,
)
from tests.ops.table import COMPLEX, EAGER, FLOATS, HALF, INTS, SMALL, binary, case, raw, unary

ALL_FLOATS = FLOATS + HALF
BESSEL = (20.0, "XLA and Eigen use other polynomials in float32")

# --- one input

unary("Neg", "negative", normal, ALL_FLOATS + INTS + ("int8", "int16") + COMPLEX)
unary("Abs", "abs", zeros, ALL_FLOATS + INTS)
unary("ComplexAbs", "abs", normal, COMPLEX)
unary("Sign", "sign", zeros, ALL_FLOATS + INTS + COMPLEX)
unary("Square", "square", normal, ALL_FLOATS + INTS + COMPLEX)
unary("Sqrt", "sqrt", positive, ALL_FLOATS + COMPLEX)
unary("Rsqrt", "math.rsqrt", positive, ALL_FLOATS + COMPLEX)
unary("Reciprocal", "math.reciprocal", positive, ALL_FLOATS + COMPLEX)
unary("Exp", "exp", normal, ALL_FLOATS + COMPLEX)
unary("Expm1", "math.expm1", normal, ALL_FLOATS + COMPLEX)
unary("Log", "math.log", positive, ALL_FLOATS + COMPLEX)
unary("Log1p", "math.log1p", positive, ALL_FLOATS + COMPLEX)
unary("Sigmoid", "sigmoid", normal, ALL_FLOATS + COMPLEX)
unary("Sin", "sin", normal, ALL_FLOATS + COMPLEX)
unary("Cos", "cos", normal, ALL_FLOATS + COMPLEX)
unary("Tan", "tan", unit, ALL_FLOATS + COMPLEX)
unary("Asin", "asin", unit, ALL_FLOATS + COMPLEX)
unary("Acos", "acos", unit, ALL_FLOATS + COMPLEX)
unary("Atan", "atan", unit, ALL_FLOATS + COMPLEX)
unary("Sinh", "sinh", normal, ALL_FLOATS + COMPLEX)
unary("Cosh", "cosh", normal, ALL_FLOATS + COMPLEX)
unary("Tanh", "tanh", normal, ALL_FLOATS + COMPLEX)
unary("Asinh", "asinh", normal, ALL_FLOATS + COMPLEX)
unary("Acosh", "acosh", above_one, ALL_FLOATS + COMPLEX)
unary("Atanh", "atanh", unit, ALL_FLOATS + COMPLEX)
unary("Floor", "floor", normal)
unary("Ceil", "math.ceil", normal)
unary("Rint", "math.rint", normal, FLOATS)
unary("Round", "round", normal, ALL_FLOATS + INTS)
unary("IsNan", "math.is_nan", nonfinite)
unary("IsInf", "math.is_inf", nonfinite)
unary("IsFinite", "math.is_finite", nonfinite)
unary("LogicalNot", "logical_not", bools, ("bool",))
unary("Invert", "bitwise.invert", normal, INTS + SMALL)
unary("Conj", "math.conj", normal, COMPLEX + ("float32",))
unary("Real", "math.real", normal, COMPLEX)
unary("Imag", "math.imag", normal, COMPLEX)
unary("Angle", "math.angle", normal, COMPLEX)
unary("Erf", "math.erf", normal)
unary("Erfc", "math.erfc", normal)
unary("Erfinv", "math.erfinv", unit, FLOATS)
unary("Ndtri", "math.ndtri", probability, FLOATS)
unary("Lgamma", "math.lgamma", positive, FLOATS + ("float16",))
unary("Digamma", "math.digamma", positive, FLOATS + ("float16",))
unary("BesselI0e", "math.bessel_i0e", normal, FLOATS, loose=BESSEL)
unary("BesselI1e", "math.bessel_i1e", normal, FLOATS, loose=BESSEL)
unary("BesselI0", "math.bessel_i0", normal, FLOATS, loose=BESSEL)
unary("BesselI1", "math.bessel_i1", normal, FLOATS, loose=BESSEL)
for _op, _name in (("BesselK0", "bessel_k0"), ("BesselK1", "bessel_k1"), ("BesselK0e", "bessel_k0e"), ("BesselK1e", "bessel_k1e"),
                   ("BesselJ0", "bessel_j0"), ("BesselJ1", "bessel_j1"), ("BesselY0", "bessel_y0"), ("BesselY1", "bessel_y1"),
                   ("Dawsn", "dawsn"), ("Expint", "expint"), ("FresnelCos", "fresnel_cos"), ("FresnelSin", "fresnel_sin"),
                   ("Spence", "spence")):
    unary(_op, f"math.special.{_name}", positive, FLOATS, loose=BESSEL)

case("PopulationCount", lambda tf, x: raw(tf, "PopulationCount", x=x), ints(0, 100, 2, 3, dtype=None), dtypes=INTS + SMALL)
case("Inv", lambda tf, x: raw(tf, "Inv", x=x), positive(2, 3))
case("Sqrt zero", lambda tf, x: tf.sqrt(x), zeros(5))
case("Abs operator", lambda tf, x: abs(x), zeros(5))
case("Neg operator", lambda tf, x: -x, normal(5), dtypes=FLOATS + INTS)
case("Tanh nonfinite", lambda tf, x: tf.tanh(x), nonfinite(6))
case("Exp nonfinite", lambda tf, x: tf.exp(x), nonfinite(6))
case("Log nonfinite", lambda tf, x: tf.math.log(x), nonfinite(6))
case("Sign nonfinite", lambda tf, x: tf.sign(x), nonfinite(6))
case("Sigmoid large", lambda tf, x: tf.sigmoid(x), const([-200.0, -20.0, 0.0, 20.0, 200.0]), dtypes=ALL_FLOATS)
case("Round halves", lambda tf, x: tf.round(x), const([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]), dtypes=ALL_FLOATS)
for _op, _kind in (("TanhGrad", unit), ("SigmoidGrad", probability), ("SqrtGrad", positive), ("RsqrtGrad", positive),
                   ("ReciprocalGrad", positive), ("InvGrad", positive)):
    case(_op, lambda tf, y, dy, _op=_op: raw(tf, _op, y=y, dy=dy), _kind(2, 3), normal(2, 3), dtypes=FLOATS + COMPLEX[:1])

# --- two inputs

binary("AddV2", "add", normal, normal, ALL_FLOATS + INTS + ("int8", "uint8") + COMPLEX)
binary("Sub", "subtract", normal, normal, ALL_FLOATS + INTS + ("int8", "uint8") + COMPLEX)
binary("Mul", "multiply", normal, normal, ALL_FLOATS + INTS + ("int8", "uint8") + COMPLEX)
binary("RealDiv", "divide", normal, positive, ALL_FLOATS + COMPLEX)
binary("DivNoNan", "math.divide_no_nan", normal, zeros, ALL_FLOATS + COMPLEX)
binary("MulNoNan", "math.multiply_no_nan", normal, zeros, ALL_FLOATS + COMPLEX)
binary("Maximum", "maximum", ties, ties, ALL_FLOATS + INTS)
binary("Minimum", "minimum", ties, ties, ALL_FLOATS + INTS)
binary("SquaredDifference", "math.squared_difference", normal, normal, ALL_FLOATS + INTS + COMPLEX)
binary("Pow", "pow", positive, normal, ALL_FLOATS + COMPLEX)
binary("Atan2", "atan2", normal, normal)
binary("FloorMod", "math.floormod", normal, positive, FLOATS + HALF)
binary("Xlogy", "math.xlogy", zeros, positive, ALL_FLOATS + COMPLEX)
binary("Xlog1py", "math.xlog1py", zeros, positive, ALL_FLOATS + COMPLEX)
binary("Xdivy", "math.xdivy", zeros, positive, ALL_FLOATS + COMPLEX)
binary("Igamma", "math.igamma", positive, positive, FLOATS, loose=(20.0, "a series summed in another order"))
binary("Igammac", "math.igammac", positive, positive, FLOATS, loose=(20.0, "a series summed in another order"))
binary("Zeta", "math.zeta", above_one, positive, FLOATS, loose=(5.0, "an Euler-Maclaurin sum"))
binary("NextAfter", "math.nextafter", normal, normal, ("float64", "float32"))
binary("Complex", "complex", normal, normal, FLOATS)
for _op, _name in (("Less", "less"), ("LessEqual", "less_equal"), ("Greater", "greater"), ("GreaterEqual", "greater_equal"),
                   ("Equal", "equal"), ("NotEqual", "not_equal")):
    binary(_op, _name, ties, ties, ALL_FLOATS + INTS + (COMPLEX if "qual" in _op and _op in ("Equal", "NotEqual") else ()))
for _op, _name in (("LogicalAnd", "logical_and"), ("LogicalOr", "logical_or")):
    binary(_op, _name, bools, bools, ("bool",))
for _op, _name in (("BitwiseAnd", "bitwise_and"), ("BitwiseOr", "bitwise_or"), ("BitwiseXor", "bitwise_xor")):
    binary(_op, f"bitwise.{_name}", normal, normal, INTS + SMALL)
for _op, _name in (("LeftShift", "left_shift"), ("RightShift", "right_shift")):
    case(_op, lambda tf, x, y, _n=_name: getattr(tf.bitwise, _n)(x, y), normal(2, 3), ints(0, 5, 2, 3, dtype=None),
         dtypes=INTS + ("int8", "uint8"))
for _op in ("Add", "Div"):
    case(_op, lambda tf, x, y, _op=_op: raw(tf, _op, x=x, y=y), normal(2, 3), positive(3), dtypes=FLOATS)
case("Div int", lambda tf, x, y: raw(tf, "Div", x=x, y=y), const([7, -7, 7, -7]), const([2, 2, -2, -2]), dtypes=INTS)
case("FloorDiv int", lambda tf, x, y: x // y, const([7, -7, 7, -7, 0]), const([2, 2, -2, -2, 3]), dtypes=INTS + ("int8",))
case("FloorDiv", lambda tf, x, y: tf.math.floordiv(x, y), normal(2, 3), positive(3), dtypes=FLOATS)
case("FloorMod int", lambda tf, x, y: x % y, const([7, -7, 7, -7, 0]), const([2, 2, -2, -2, 3]), dtypes=INTS)
case("FloorMod signs", lambda tf, x, y: x % y, const([5.5, -5.5, 5.5, -5.5]), const([2.0, 2.0, -2.0, -2.0]), dtypes=FLOATS)
case("Mod", lambda tf, x, y: raw(tf, "Mod", x=x, y=y), const([7, -7, 7, -7, 0]), const([2, 2, -2, -2, 3]), dtypes=INTS, grad=False)
case("TruncateDiv", lambda tf, x, y: tf.truncatediv(x, y), const([7, -7, 7, -7, 0]), const([2, 2, -2, -2, 3]), dtypes=INTS)
case("TruncateMod", lambda tf, x, y: tf.truncatemod(x, y), const([7, -7, 7, -7, 0]), const([2, 2, -2, -2, 3]), dtypes=INTS + ("float32",))
case("RealDiv ints", lambda tf, x, y: x / y, const([7, -7, 7, -7, 0]), const([2, 2, -2, -2, 3]), dtypes=INTS + ("int8",))
case("Pow int", lambda tf, x, y: x**y, const([2, 3, -2, 0]), const([3, 0, 3, 0]), dtypes=INTS)
case("Pow square", lambda tf, x: x**2, normal(5), dtypes=FLOATS + COMPLEX)
case("Pow zero base", lambda tf, x, y: tf.pow(x, y), const([0.0, 0.0, 0.0, 2.0]), const([0.0, 1.0, 2.0, 0.0]), dtypes=FLOATS)
case("Pow negative base", lambda tf, x, y: tf.pow(x, y), const([-2.0, -2.0, -1.0]), const([2.0, 3.0, 0.5]), dtypes=FLOATS)
case("Maximum nan", lambda tf, x, y: tf.maximum(x, y), nonfinite(6), const([1.0, 1.0, 1.0, 1.0, 0.0, float("nan")]))
case("Minimum nan", lambda tf, x, y: tf.minimum(x, y), nonfinite(6), const([1.0, 1.0, 1.0, 1.0, 0.0, float("nan")]))
case("Maximum kinks broadcast", lambda tf, x, y: tf.maximum(x, y), ties(4, 3), ties(3), dtypes=FLOATS)
case("Less operators", lambda tf, x, y: [x < y, x <= y, x > y, x >= y], ties(5), ties(5), covers=("LessEqual", "Greater", "GreaterEqual"))
case("Equal operators", lambda tf, x, y: [x == y, x != y], ties(5), ties(5))
case("Equal nan", lambda tf, x: tf.equal(x, x), nonfinite(6))
case("ApproximateEqual", lambda tf, x, y: raw(tf, "ApproximateEqual", x=x, y=y, tolerance=0.6), normal(6), normal(6), dtypes=FLOATS)
case("Polygamma", lambda tf, x: tf.math.polygamma(tf.constant([1, 2, 3], x.dtype), x), positive(3), dtypes=FLOATS,
     loose=(50.0, "gamma times zeta in float32"))
case("IgammaGradA", lambda tf, a, x: raw(tf, "IgammaGradA", a=a, x=x), positive(4), positive(4), dtypes=FLOATS, grad=False,
     loose=(50.0, "a series summed in another order"))
case("RandomGammaGrad", lambda tf, a, x: raw(tf, "RandomGammaGrad", alpha=a, sample=x), positive(4), positive(4), dtypes=FLOATS, grad=False,
     loose=(50.0, "a series summed in another order"))
case("Betainc", lambda tf, a, b, x: tf.math.betainc(a, b, x), positive(2, 3), positive(2, 3), probability(2, 3), dtypes=FLOATS,
     loose=(50.0, "a continued fraction"))
case("Mul scalar right", lambda tf, x: x * 2.5, normal(3), dtypes=ALL_FLOATS)
case("Sub scalar left", lambda tf, x: 1.0 - x, normal(3), dtypes=ALL_FLOATS + COMPLEX)
case("Mul same tensor", lambda tf, x: x * x + x, normal(3), dtypes=FLOATS + COMPLEX)
case("Mul complex chain", lambda tf, z: tf.exp(z) * tf.math.conj(z) / (z + 3.0), normal(3), dtypes=COMPLEX)

# --- casts, selection, sums of lists

for _to in ("float16", "bfloat16", "float32", "float64", "int32", "int64", "bool", "complex64", "uint8"):
    case(f"Cast {_to}", lambda tf, x, _to=_to: tf.cast(x, _to), positive(2, 3),
         dtypes=("float32", "float64", "bfloat16", "int32", "int8", "complex64") if _to not in ("uint8",) else ("float32", "int32"))
case("Cast bool", lambda tf, x: tf.cast(x, tf.float32), bools(2, 3), dtypes=("bool",))
case("Cast truncates", lambda tf, x: tf.cast(x, tf.int32), const([-1.9, -0.5, 0.5, 1.9]), dtypes=ALL_FLOATS)
case("Cast saturate", lambda tf, x: tf.saturate_cast(x, tf.uint8), const([-5.0, 3.6, 300.0, 255.0]), dtypes=FLOATS, grad=False)
case("SelectV2", lambda tf, c, x, y: tf.where(c, x, y), bools(2, 3), normal(2, 3), normal(2, 3), dtypes=ALL_FLOATS + INTS + COMPLEX[:1])
case("SelectV2 broadcast", lambda tf, c, x, y: tf.where(c, x, y), bools(2, 1), normal(3), normal(2, 3))
case("SelectV2 scalar", lambda tf, c, x: tf.where(c, x, 0.0), bools(2, 3), normal(2, 3))
case("SelectV2 0d condition", lambda tf, c, x, y: tf.where(c, x, y), bools(), normal(2), normal(2))
case("Select", lambda tf, c, x, y: raw(tf, "Select", condition=c, x=x, y=y), bools(3), normal(3, 2), normal(3, 2), dtypes=FLOATS)
case("AddN", lambda tf, x, y, z: tf.add_n([x, y, z]), normal(2, 3), normal(2, 3), normal(2, 3), dtypes=ALL_FLOATS + INTS + COMPLEX)
case("AccumulateNV2", lambda tf, x, y: raw(tf, "AccumulateNV2", inputs=[x, y], shape=[2, 3]), normal(2, 3), normal(2, 3),
     reference=lambda tf, x, y: tf.add_n([x, y]))
case("Minimum clip", lambda tf, x: tf.clip_by_value(x, -0.5, 0.5), normal(2, 5), dtypes=ALL_FLOATS)
case("Minimum clip int", lambda tf, x: tf.clip_by_value(x, -1, 2), normal(2, 5), dtypes=INTS)
case("Minimum clip edges", lambda tf, x: tf.clip_by_value(x, -1.0, 1.0), const([-1.0, 1.0, 0.0, 2.0, -2.0]), dtypes=FLOATS)
case("ClipByValue", lambda tf, x, a, b: raw(tf, "ClipByValue", t=x, clip_value_min=a, clip_value_max=b), normal(2, 3), const(-0.5), const(0.5))
case("Sum clip_by_norm", lambda tf, x: tf.clip_by_norm(x, 1.0), normal(2, 3), dtypes=FLOATS)
case("L2Loss global_norm", lambda tf, x, y: tf.clip_by_global_norm([x, y], 1.0), normal(2, 3), normal(4), grad=False)
case("Bucketize", lambda tf, x: raw(tf, "Bucketize", input=x, boundaries=[-0.5, 0.0, 1.0]), normal(2, 3), dtypes=FLOATS + INTS)

# --- reductions

for _op, _name, _kind, _dtypes in (
        ("Sum", "reduce_sum", normal, ALL_FLOATS + INTS + ("int8", "uint8") + COMPLEX),
        ("Mean", "reduce_mean", normal, ALL_FLOATS + INTS + COMPLEX),
        ("Prod", "reduce_prod", positive, ALL_FLOATS + INTS + ("int8",) + COMPLEX),
        ("Max", "reduce_max", ties, ALL_FLOATS + INTS + ("int8", "uint8")),
        ("Min", "reduce_min", ties, ALL_FLOATS + INTS),
        ("EuclideanNorm", "math.reduce_euclidean_norm", normal, FLOATS + COMPLEX),
        ("All", "reduce_all", bools, ("bool",)),
        ("Any", "reduce_any", bools, ("bool",))):
    def _reduce(tf, x, axis=None, keepdims=False, _name=_name):
        function = tf
        for part in _name.split("."):
            function = getattr(function, part)
        return function(x, axis=axis, keepdims=keepdims)

    case(_op, _reduce, _kind(3, 4), dtypes=_dtypes)
    case(f"{_op} axis", lambda tf, x, _r=_reduce: _r(tf, x, 1), _kind(3, 4), dtypes=_dtypes)
    case(f"{_op} axes keepdims", lambda tf, x, _r=_reduce: _r(tf, x, (0, -1), True), _kind(2, 3, 4), dtypes=_dtypes[:1])
    case(f"{_op} no axes", lambda tf, x, _r=_reduce: _r(tf, x, []), _kind(2, 3), dtypes=_dtypes[:1])
    case(f"{_op} 0d", lambda tf, x, _r=_reduce: _r(tf, x), _kind(), dtypes=_dtypes[:1])
    case(f"{_op} empty", lambda tf, x, _r=_reduce: _r(tf, x, 0), _kind(0, 3), dtypes=_dtypes[:1])
    case(f"{_op} axis tensor", lambda tf, x, a, _r=_reduce: _r(tf, x, a), _kind(3, 4), const(-1, "int32"), dtypes=_dtypes[:1])
case("Prod zeros", lambda tf, x: tf.reduce_prod(x, 1), const([[1.0, 2.0, 3.0], [0.0, 2.0, 3.0], [0.0, 0.0, 3.0]]), dtypes=FLOATS)
case("Sum long bfloat16", lambda tf, x: tf.reduce_sum(tf.ones([1000], x.dtype)) * x, normal(), dtypes=HALF)
case("Sum logsumexp", lambda tf, x: tf.reduce_logsumexp(x, 1), normal(3, 4), dtypes=FLOATS)
case("Sum logsumexp infinite", lambda tf, x: tf.reduce_logsumexp(x), const([float("-inf")] * 3), grad=False)
case("Mean variance", lambda tf, x: [tf.math.reduce_variance(x, 0), tf.math.reduce_std(x, 1, keepdims=True)], normal(3, 4), dtypes=FLOATS + COMPLEX[:1])
case("Mean int truncates", lambda tf, x: tf.reduce_mean(x), const([1, 2, 2, 2]), dtypes=INTS)
case("Max ties", lambda tf, x: tf.reduce_max(x, 1), const([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]]), dtypes=FLOATS)
case("Max nan", lambda tf, x: tf.reduce_max(x), nonfinite(6), grad=False)
case("Sum count_nonzero", lambda tf, x: tf.math.count_nonzero(x, 0), zeros(3, 4), dtypes=FLOATS + INTS + ("bool",))
case("All axis keepdims", lambda tf, x: tf.reduce_all(x > 0, 0, keepdims=True), ties(3, 4))
for _op, _name in (("ArgMax", "argmax"), ("ArgMin", "argmin")):
    case(_op, lambda tf, x, _n=_name: getattr(tf, _n)(x, 1), ties(3, 4), dtypes=ALL_FLOATS + INTS + ("uint8",))
    case(f"{_op} default", lambda tf, x, _n=_name: getattr(tf, _n)(x), ties(3, 4))
    case(f"{_op} int32", lambda tf, x, _n=_name: getattr(tf, _n)(x, -1, output_type=tf.int32), ties(3, 4))
    case(f"{_op} bool", lambda tf, x, _n=_name: getattr(tf, _n)(x, 0), bools(3, 4), dtypes=("bool",))
    case(f"{_op} nan", lambda tf, x, _n=_name: getattr(tf, _n)(x), const([1.0, float("nan"), 2.0, float("nan")]))

# --- scans

for _op, _name, _dtypes in (("Cumsum", "cumsum", ALL_FLOATS + INTS + ("int8",) + COMPLEX), ("Cumprod", "math.cumprod", FLOATS + INTS),
                            ("CumulativeLogsumexp", "math.cumulative_logsumexp", FLOATS)):
    def _scan(tf, x, _name=_name, **facts):
        return (getattr(tf.math, _name.split(".")[-1]))(x, **facts)

    case(_op, _scan, positive(4), dtypes=_dtypes)
    case(f"{_op} axis", lambda tf, x, _s=_scan: _s(tf, x, axis=1), positive(2, 4), dtypes=_dtypes[:1])
    case(f"{_op} exclusive", lambda tf, x, _s=_scan: _s(tf, x, exclusive=True), positive(4), dtypes=_dtypes[:1])
    case(f"{_op} reverse", lambda tf, x, _s=_scan: _s(tf, x, reverse=True), positive(4), dtypes=_dtypes[:1])
    case(f"{_op} both", lambda tf, x, _s=_scan: _s(tf, x, axis=-1, exclusive=True, reverse=True), positive(2, 4), dtypes=_dtypes[:1])
    case(f"{_op} empty", lambda tf, x, _s=_scan: _s(tf, x), positive(0, 2), dtypes=_dtypes[:1])

# --- segments

for _op, _name, _dtypes in (("Sum", "sum", FLOATS + INTS + COMPLEX[:1]), ("Prod", "prod", FLOATS + INTS), ("Max", "max", FLOATS + INTS),
                            ("Min", "min", FLOATS + INTS)):
    case(f"UnsortedSegment{_op}", lambda tf, x, _n=_name: getattr(tf.math, f"unsorted_segment_{_n}")(x, [2, 0, 2, 0, -1], 4),
         distinct(5, 2), dtypes=_dtypes)
    case(f"UnsortedSegment{_op} ties", lambda tf, x, i, _n=_name: getattr(tf.math, f"unsorted_segment_{_n}")(x, i, 3),
         ties(6), ints(0, 3, 6))
    case(f"Segment{_op}", lambda tf, x, _n=_name: getattr(tf.math, f"segment_{_n}")(x, [0, 0, 1, 3, 3]), distinct(5, 2), dtypes=_dtypes)
    case(f"Segment{_op}V2", lambda tf, x, _op=_op: raw(tf, f"Segment{_op}V2", data=x, segment_ids=[0, 0, 1, 3, 3], num_segments=5),
         distinct(5, 2), grad=False, reference=lambda tf, x, _n=_name: getattr(tf.math, f"unsorted_segment_{_n}")(x, [0, 0, 1, 3, 3], 5))
case("UnsortedSegmentSum rank 2", lambda tf, x: tf.math.unsorted_segment_sum(x, [[0, 1], [1, 2]], 3), normal(2, 2, 3))
case("UnsortedSegmentSum mean", lambda tf, x: tf.math.unsorted_segment_mean(x, [0, 0, 1, 3, 3], 4), normal(5, 2))
case("UnsortedSegmentSum sqrt_n", lambda tf, x: tf.math.unsorted_segment_sqrt_n(x, [0, 0, 1, 3, 3], 4), normal(5, 2))
case("SegmentMean", lambda tf, x: tf.math.segment_mean(x, [0, 0, 1, 3, 3]), normal(5, 2), dtypes=FLOATS)
for _op in ("Sum", "Mean", "SqrtN"):
    _name = {"Sum": "sum", "Mean": "mean", "SqrtN": "sqrt_n"}[_op]
    case(f"SparseSegment{_op}", lambda tf, x, _n=_name: getattr(tf.sparse, f"segment_{_n}")(x, [0, 2, 2, 4], [0, 0, 1, 2]),
         normal(5, 2), dtypes=FLOATS)
    case(f"SparseSegment{_op}WithNumSegments",
         lambda tf, x, _n=_name: getattr(tf.sparse, f"segment_{_n}")(x, [0, 2, 2, 4], [0, 0, 1, 3], num_segments=5), normal(5, 2), dtypes=FLOATS)
case("Bincount", lambda tf, x: raw(tf, "Bincount", arr=x, size=6, weights=tf.constant([], tf.float32)), ints(0, 5, 7), grad=False)
case("DenseBincount", lambda tf, x: tf.math.bincount(x, minlength=6, maxlength=6), ints(0, 5, 7), grad=False)
case("DenseBincount raw", lambda tf, x, w: raw(tf, "DenseBincount", input=x, size=6, weights=w), ints(0, 5, 7), normal(7), grad=False)
case("DenseBincount rows", lambda tf, x: raw(tf, "DenseBincount", input=x, size=6, weights=tf.constant([], tf.int32), binary_output=True),
     ints(0, 5, 2, 7), grad=False)
case("DenseBincount unsized", lambda tf, x: tf.math.bincount(x), ints(0, 5, 7), grad=False, modes=EAGER)
