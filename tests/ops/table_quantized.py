"""Quantised integers. They are made from floats and turned into floats inside a case, so that tolerances have a meaning."""
# ruff: noqa: E501 - a case is one line

from tests.ops.inputs import normal
from tests.ops.table import EAGER, case, raw

FACTS = {"grad": False, "modes": EAGER}


def _quantize(tf, x, low, high, kind="quint8", mode="MIN_FIRST", **options):
    return raw(tf, "QuantizeV2", input=x, min_range=low, max_range=high, T=getattr(tf, kind), mode=mode, **options)


def _numbers(tf, q):
    """Quantised integers as plain ones."""
    return tf.cast(q, tf.int32)


def _shown(tf, results):
    q, low, high = results
    return [_numbers(tf, q), low, high]


for _kind in ("quint8", "qint8"):
    for _mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
        if (_kind, _mode) != ("qint8", "MIN_FIRST"):
            case(f"QuantizeV2 {_kind} {_mode}", lambda tf, x, _k=_kind, _m=_mode: _shown(tf, _quantize(tf, x, -2.0, 1.5, _k, _m)), normal(3, 4), **FACTS)
            case(f"Dequantize {_kind} {_mode}", lambda tf, x, _k=_kind, _m=_mode: raw(tf, "Dequantize", input=_quantize(tf, x, -2.0, 1.5, _k, _m)[0], min_range=-2.0, max_range=1.5, mode=_m), normal(3, 4), **FACTS)
case("QuantizeV2 axis", lambda tf, x: _shown(tf, _quantize(tf, x, [-1.0, -2.0, -0.5], [1.0, 1.5, 2.0], "qint8", "SCALED", axis=0, narrow_range=True, round_mode="HALF_TO_EVEN")), normal(3, 4), **FACTS)
_QDQ = {"signed_input": True, "num_bits": 5}
case("QuantizeAndDequantizeV2", lambda tf, x: raw(tf, "QuantizeAndDequantizeV2", input=x, input_min=-1.0, input_max=1.2, range_given=True, **_QDQ), normal(3, 4), modes=EAGER)
case("QuantizeAndDequantizeV2 own range", lambda tf, x: raw(tf, "QuantizeAndDequantizeV2", input=x, input_min=0.0, input_max=0.0, round_mode="HALF_UP", narrow_range=True, **_QDQ), normal(3, 4), modes=EAGER)
case("QuantizeAndDequantizeV2 unsigned", lambda tf, x: raw(tf, "QuantizeAndDequantizeV2", input=x, input_min=0.0, input_max=1.2, range_given=True, signed_input=False, num_bits=4), normal(3, 4), modes=EAGER)
case("QuantizeAndDequantizeV2 axis", lambda tf, x: raw(tf, "QuantizeAndDequantizeV2", input=x, input_min=[0.0] * 4, input_max=[0.0] * 4, axis=1, **_QDQ), normal(3, 4), modes=EAGER)
case("QuantizeAndDequantizeV3", lambda tf, x: raw(tf, "QuantizeAndDequantizeV3", input=x, input_min=-1.0, input_max=1.2, num_bits=6), normal(3, 4), modes=EAGER)
case("QuantizeAndDequantizeV4", lambda tf, x: raw(tf, "QuantizeAndDequantizeV4", input=x, input_min=-1.0, input_max=1.2, range_given=True, **_QDQ), normal(3, 4), modes=EAGER)
case("QuantizeAndDequantizeV4Grad", lambda tf, g, x: raw(tf, "QuantizeAndDequantizeV4Grad", gradients=g, input=x, input_min=-1.0, input_max=1.2), normal(3, 4), normal(3, 4), **FACTS)


def _pair(tf, x, y):
    return _quantize(tf, x, -2.0, 2.5), _quantize(tf, y, -1.0, 3.0)


def _product(tf, x, y, **options):
    (a, low_a, high_a), (b, low_b, high_b) = _pair(tf, x, y)
    return raw(tf, "QuantizedMatMul", a=a, b=b, min_a=low_a, max_a=high_a, min_b=low_b, max_b=high_b, Toutput=tf.qint32, **options)


case("QuantizedMatMul", lambda tf, x, y: _shown(tf, _product(tf, x, y)), normal(2, 3), normal(3, 4), **FACTS)
case("QuantizedMatMul transposed", lambda tf, x, y: _shown(tf, _product(tf, x, y, transpose_a=True, transpose_b=True)), normal(3, 2), normal(4, 3), **FACTS)
case("RequantizationRange", lambda tf, x, y: raw(tf, "RequantizationRange", **dict(zip(("input", "input_min", "input_max"), _product(tf, x, y)))), normal(2, 3), normal(3, 4), **FACTS)


def _down(tf, x, y, op, **options):
    q, low, high = _product(tf, x, y)
    out, low, high = raw(tf, op, input=q, input_min=low, input_max=high, out_type=tf.quint8, **options)
    return [raw(tf, "Dequantize", input=out, min_range=low, max_range=high, mode="MIN_FIRST"), low, high]


case("Requantize", lambda tf, x, y: _down(tf, x, y, "Requantize", requested_output_min=-9.0, requested_output_max=8.0), normal(2, 3), normal(3, 4), **FACTS)
case("QuantizeDownAndShrinkRange", lambda tf, x, y: _down(tf, x, y, "QuantizeDownAndShrinkRange"), normal(2, 3), normal(3, 4), **FACTS)


_WIDE = (1e3, "one step of a range that is 16,384 or more times as wide as the operands'")


def _binary(tf, x, y, op, **options):
    (a, low_a, high_a), (b, low_b, high_b) = _pair(tf, x, y)
    return raw(tf, op, x=a, y=b, min_x=low_a, max_x=high_a, min_y=low_b, max_y=high_b, Toutput=tf.qint32, **options)


case("QuantizedMul", lambda tf, x, y: _shown(tf, _binary(tf, x, y, "QuantizedMul")), normal(2, 4), normal(4), **FACTS)


def _wide(tf, results):
    q, low, high = results
    return [raw(tf, "Dequantize", input=q, min_range=low, max_range=high, mode="MIN_FIRST"), low, high]


case("QuantizedAdd", lambda tf, x, y: _wide(tf, _binary(tf, x, y, "QuantizedAdd")), normal(2, 4), normal(4), loose=_WIDE, **FACTS)


def _bias(tf, x, y):
    (a, low_a, high_a), (b, low_b, high_b) = _pair(tf, x, y)
    return raw(tf, "QuantizedBiasAdd", input=a, bias=b, min_input=low_a, max_input=high_a, min_bias=low_b, max_bias=high_b, out_type=tf.qint32)


case("QuantizedBiasAdd", lambda tf, x, y: _wide(tf, _bias(tf, x, y)), normal(2, 4), normal(4), loose=_WIDE, **FACTS)


def _one(tf, x, op, name, low, high, **options):
    q, a, b = _quantize(tf, x, -2.0, 7.5)
    return _shown(tf, raw(tf, op, **{name: q, low: a, high: b}, **options))


_FEATURES = "features", "min_features", "max_features"
case("QuantizedRelu", lambda tf, x: _one(tf, 3 * x, "QuantizedRelu", *_FEATURES), normal(3, 4), **FACTS)
case("QuantizedRelu6", lambda tf, x: _one(tf, 5 * x, "QuantizedRelu6", *_FEATURES), normal(3, 4), **FACTS)
case("QuantizedReshape", lambda tf, x: _one(tf, x, "QuantizedReshape", "tensor", "input_min", "input_max", shape=[4, 3]), normal(3, 4), **FACTS)
_WINDOWS = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
_POOLED = "input", "min_input", "max_input"
case("QuantizedMaxPool", lambda tf, x: _one(tf, x, "QuantizedMaxPool", *_POOLED, **_WINDOWS), normal(1, 3, 4, 2), **FACTS)
case("QuantizedAvgPool", lambda tf, x: _one(tf, x, "QuantizedAvgPool", *_POOLED, **_WINDOWS), normal(1, 3, 4, 2), **FACTS)


def _conv(tf, x, w, padding):
    (a, low_a, high_a), (b, low_b, high_b) = _pair(tf, x, w)
    return _shown(tf, raw(tf, "QuantizedConv2D", input=a, filter=b, min_input=low_a, max_input=high_a, min_filter=low_b, max_filter=high_b, strides=[1, 1, 1, 1], padding=padding))


for _padding in ("SAME", "VALID"):
    case(f"QuantizedConv2D {_padding}", lambda tf, x, w, _p=_padding: _conv(tf, x, w, _p), normal(1, 4, 4, 2), normal(2, 2, 2, 3), **FACTS)


def _concat(tf, x, y):
    (a, low_a, high_a), (b, low_b, high_b) = _pair(tf, x, y)
    q, low, high = raw(tf, "QuantizedConcat", concat_dim=0, values=[a, b], input_mins=[low_a, low_b], input_maxes=[high_a, high_b])
    return _wide(tf, (q, low, high))


case("QuantizedConcat", _concat, normal(2, 3), normal(1, 3), loose=(1e4, "one step of 255 where the new integer lies between two"), **FACTS)

# --- uniform
_Q8 = {"quantization_min_val": -128, "quantization_max_val": 127}


def _uniform(tf, x, scale=0.02, zero=3):
    return raw(tf, "UniformQuantize", input=x, scales=scale, zero_points=zero, Tout=tf.qint8, **_Q8)


case("UniformQuantize", lambda tf, x: _numbers(tf, _uniform(tf, x)), normal(2, 3), **FACTS)
case("UniformQuantize axis", lambda tf, x: _numbers(tf, raw(tf, "UniformQuantize", input=x, scales=[0.02, 0.1, 0.03], zero_points=[1, -3, 0], Tout=tf.qint8, quantization_axis=1, **_Q8)), normal(2, 3), **FACTS)
case("UniformDequantize", lambda tf, x: raw(tf, "UniformDequantize", input=_uniform(tf, x), scales=0.02, zero_points=3, Tout=tf.float32, **_Q8), normal(2, 3), **FACTS)
case("UniformRequantize", lambda tf, x: _numbers(tf, raw(tf, "UniformRequantize", input=_uniform(tf, x), input_scales=0.02, input_zero_points=3, output_scales=0.05, output_zero_points=-7, Tout=tf.qint8, input_quantization_min_val=-128, input_quantization_max_val=127, output_quantization_min_val=-128, output_quantization_max_val=127)), normal(2, 3), **FACTS)
_Q32 = {"quantization_min_val": -(2**31), "quantization_max_val": 2**31 - 1}


def _wide_integers(tf, x, scale, zero):
    return raw(tf, "UniformQuantize", input=x, scales=scale, zero_points=zero, Tout=tf.qint32, **_Q32)


def _uniform_sum(tf, x, y):
    ranges = {f"{who}_{end}": value for who in ("lhs", "rhs", "output") for end, value in _Q32.items()}
    scales = {"lhs_scales": 0.01, "lhs_zero_points": 5, "rhs_scales": 0.02, "rhs_zero_points": -3, "output_scales": 0.005, "output_zero_points": 1}
    return _numbers(tf, raw(tf, "UniformQuantizedAdd", lhs=_wide_integers(tf, x, 0.01, 5), rhs=_wide_integers(tf, y, 0.02, -3), **scales, **ranges))


case("UniformQuantizedAdd", _uniform_sum, normal(2, 3), normal(3), **FACTS)
case("UniformQuantizedClipByValue", lambda tf, x: _numbers(tf, raw(tf, "UniformQuantizedClipByValue", operand=_wide_integers(tf, x, 0.01, 5), min=_wide_integers(tf, tf.constant(-0.25), 0.01, 5), max=_wide_integers(tf, tf.constant(0.35), 0.01, 5), scales=0.01, zero_points=5, **_Q32)), normal(2, 3), **FACTS)

# --- layers
_STEP = (2e4, "one step of 255 of the range")


def _layer(tf, x, op, name, low, high, **options):
    """An op on integers of 8 bits, and what its results stand for."""
    q, a, b = _quantize(tf, x, -2.0, 2.5)
    return _wide(tf, raw(tf, op, **{name: q, low: a, high: b}, **options))


def _moments(tf, names, values):
    return {k: v for name, value in zip(names, values) for k, v in ((name, _quantize(tf, value, -2.0, 2.5)[0]), (f"{name}_min", -2.0), (f"{name}_max", 2.5))}


case("QuantizedInstanceNorm", lambda tf, x: _layer(tf, x, "QuantizedInstanceNorm", "x", "x_min", "x_max"), normal(2, 3, 4, 2), loose=_STEP, **FACTS)
case("QuantizedInstanceNorm given", lambda tf, x: _layer(tf, x, "QuantizedInstanceNorm", "x", "x_min", "x_max", output_range_given=True, given_y_min=-1.0, given_y_max=2.0), normal(1, 3, 4, 2), loose=_STEP, **FACTS)
for _corners in (False, True):
    case(f"QuantizedResizeBilinear {_corners}", lambda tf, x, _c=_corners: _layer(tf, x, "QuantizedResizeBilinear", "images", "min", "max", size=[5, 4], align_corners=_c), normal(1, 3, 4, 2), loose=_STEP, **FACTS)
for _scaled in (True, False):
    case(f"QuantizedBatchNormWithGlobalNormalization {_scaled}", lambda tf, x, m, b, g, _s=_scaled: _wide(tf, raw(tf, "QuantizedBatchNormWithGlobalNormalization", **_moments(tf, ("t", "m", "v", "beta", "gamma"), (x, m, m * m + 0.5, b, g)), out_type=tf.qint32, variance_epsilon=0.01, scale_after_normalization=_s)),
         normal(1, 3, 4, 2), normal(2), normal(2), normal(2), loose=_STEP, **FACTS)


def _channels(tf, x):
    return tf.bitcast(tf.cast(tf.cast(x, tf.float64) * 2.0**29, tf.int32), tf.qint32)


case("RequantizationRangePerChannel", lambda tf, x: raw(tf, "RequantizationRangePerChannel", input=_channels(tf, x), input_min=[-1.0, -2.0], input_max=[1.0, 2.0], clip_value_max=6.0), normal(1, 3, 4, 2), **FACTS)
for _kind in ("qint8", "quint8"):
    case(f"RequantizePerChannel {_kind}", lambda tf, x, _k=_kind: _shown(tf, raw(tf, "RequantizePerChannel", input=_channels(tf, x), input_min=[-1.0, -2.0], input_max=[1.0, 2.0], requested_output_min=-1.0, requested_output_max=1.0, out_type=getattr(tf, _k))), normal(1, 3, 4, 2), **FACTS)
case("QuantizedReluX", lambda tf, x: _layer(tf, 3 * x, "QuantizedReluX", *_FEATURES, max_value=2.0, out_type=tf.quint8), normal(3, 4), loose=_STEP, reference=lambda tf, x: [tf.clip_by_value(3 * x, 0.0, 2.0), -2.0, 2.5], **FACTS)

# --- products of uniformly quantised integers
_ENDS = {f"{who}_{end}": value for who in ("lhs", "rhs") for end, value in _Q8.items()}
_OUT = {f"output_{end}": value for end, value in _Q32.items()}
_SCALES = {"lhs_scales": 0.02, "lhs_zero_points": 3, "output_scales": 0.003, "output_zero_points": 5}
_RIGHT = {"rhs_quantization_min_val": -128, "rhs_quantization_max_val": 127}


def _pointed(tf, w):
    return _uniform(tf, w, 0.05, 0)


def _plain_integers(tf, q):
    return tf.bitcast(q, tf.int32)


case("UniformQuantizedDot", lambda tf, x, w: _plain_integers(tf, raw(tf, "UniformQuantizedDot", lhs=_uniform(tf, x), rhs=_uniform(tf, w, 0.05, -2), rhs_scales=0.05, rhs_zero_points=-2, Tout=tf.qint32, **_SCALES, **_ENDS, **_OUT)), normal(4, 3), normal(3, 5), **FACTS)
case("UniformQuantizedDot channels", lambda tf, x, w: _plain_integers(tf, raw(tf, "UniformQuantizedDot", lhs=_uniform(tf, x), rhs=_pointed(tf, w), rhs_scales=[0.05, 0.1], rhs_zero_points=[0, 0], rhs_quantization_axis=1, **{**_SCALES, "output_scales": [0.003, 0.01], "output_zero_points": [5, -5]}, output_quantization_axis=1, Tout=tf.qint32, **_ENDS, **_OUT)), normal(4, 3), normal(3, 2), **FACTS)
_ROUNDED = (30.0, "a number that lies between two integers")
case("UniformQuantizedDotHybrid", lambda tf, x, w: raw(tf, "UniformQuantizedDotHybrid", lhs=x, rhs=_uniform(tf, w, 0.05, -2), rhs_scales=0.05, rhs_zero_points=-2, Tout=tf.float32, **_RIGHT), normal(4, 3), normal(3, 5), loose=_ROUNDED, **FACTS)
#: features last: the bytes of the message that says which axis is what
_FEATURES_LAST = b"\x08\x00\x10\x03\x1a\x02\x01\x02\x20\x02\x28\x03\x32\x02\x00\x01\x38\x00\x40\x03\x4a\x02\x01\x02"
for _label, _options in (("SAME", dict(padding="SAME")), ("strided", dict(padding="VALID", window_strides=[2, 1])), ("explicit", dict(padding="EXPLICIT", explicit_padding=[1, 0, 2, 1], rhs_dilation=[1, 2])),
                         ("spread", dict(padding="SAME", lhs_dilation=[2, 2])), ("groups", dict(padding="SAME", feature_group_count=2))):
    _kernel = normal(4, 1 if _label == "groups" else 2, 2, 2)
    case(f"UniformQuantizedConvolution {_label}", lambda tf, x, w, _o=_options: _plain_integers(tf, raw(tf, "UniformQuantizedConvolution", lhs=_uniform(tf, x), rhs=_pointed(tf, w), rhs_scales=0.05, rhs_zero_points=0, Tout=tf.qint32, **_SCALES, **_ENDS, **_OUT, **_o)), normal(2, 2, 4, 3), _kernel, **FACTS)
    case(f"UniformQuantizedConvolutionHybrid {_label}", lambda tf, x, w, _o=_options: raw(tf, "UniformQuantizedConvolutionHybrid", lhs=x, rhs=_pointed(tf, w), rhs_scales=0.05, rhs_zero_points=0, Tout=tf.float32, **_RIGHT, **_o), normal(2, 2, 4, 3), _kernel, loose=_ROUNDED, **FACTS)
case("UniformQuantizedConvolution features last", lambda tf, x, w: _plain_integers(tf, raw(tf, "UniformQuantizedConvolution", lhs=_uniform(tf, x), rhs=_pointed(tf, w), rhs_scales=0.05, rhs_zero_points=0, Tout=tf.qint32, padding="VALID", dimension_numbers=_FEATURES_LAST, **_SCALES, **_ENDS, **_OUT)), normal(2, 4, 3, 2), normal(2, 2, 2, 3), **FACTS)
