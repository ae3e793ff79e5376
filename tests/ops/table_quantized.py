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
