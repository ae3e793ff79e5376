"""Activations, losses, convolutions, pooling, normalisation."""
# ruff: noqa: E501 - a case is one line

from tests.ops.inputs import const, distinct, ints, normal, positive, probability, ties, zeros
from tests.ops.table import EAGER, FLOATS, HALF, case, raw, unary

CONVOLVED = (10.0, "sums of some fifty products in another order")

# --- activations

unary("Relu", "nn.relu", zeros, FLOATS + HALF)
unary("Relu6", "nn.relu6", zeros, FLOATS + HALF)
unary("Elu", "nn.elu", zeros, FLOATS + HALF)
unary("Selu", "nn.selu", zeros, FLOATS + HALF)
unary("LeakyRelu", "nn.leaky_relu", zeros, FLOATS + HALF)
unary("Softplus", "nn.softplus", normal, FLOATS + HALF)
unary("Softsign", "nn.softsign", normal, FLOATS + HALF)
unary("Softmax", "nn.softmax", lambda *s: normal(*(s or (3,))), FLOATS + HALF)
unary("LogSoftmax", "nn.log_softmax", lambda *s: normal(*(s or (3,))), FLOATS + HALF)
case("Relu edges", lambda tf, x: tf.nn.relu(x), const([-1.0, 0.0, -0.0, 2.0, float("nan")]), dtypes=FLOATS)
case("Relu int", lambda tf, x: tf.nn.relu(x), normal(4), dtypes=("int32",))
case("Relu6 edges", lambda tf, x: tf.nn.relu6(x), const([-1.0, 0.0, 6.0, 7.0, 3.0]), dtypes=FLOATS)
case("LeakyRelu alpha", lambda tf, x: tf.nn.leaky_relu(x, alpha=0.3), zeros(5), dtypes=FLOATS)
case("Softplus large", lambda tf, x: tf.nn.softplus(x), const([-100.0, -20.0, 0.0, 20.0, 100.0]), dtypes=FLOATS + HALF)
case("Softmax axis", lambda tf, x: tf.nn.softmax(x, axis=1), normal(2, 3, 4))
case("LogSoftmax axis", lambda tf, x: tf.nn.log_softmax(x, axis=0), normal(2, 3))
case("Softmax large", lambda tf, x: tf.nn.softmax(x), const([[1000.0, 0.0, -1000.0]]), dtypes=FLOATS)
case("Tanh gelu", lambda tf, x: [tf.nn.gelu(x), tf.nn.gelu(x, approximate=True)], normal(5), dtypes=FLOATS)
case("Sigmoid silu", lambda tf, x: tf.nn.silu(x), normal(5), dtypes=FLOATS + HALF)
case("Relu crelu", lambda tf, x: tf.nn.crelu(x), zeros(2, 3))
for _op in ("Relu", "Relu6", "LeakyRelu", "Softplus", "Softsign"):
    case(f"{_op}Grad", lambda tf, g, x, _op=_op: raw(tf, f"{_op}Grad", gradients=g, features=x), normal(5), zeros(5), dtypes=FLOATS)
for _op in ("Elu", "Selu"):
    case(f"{_op}Grad", lambda tf, g, y, _op=_op: raw(tf, f"{_op}Grad", gradients=g, outputs=y), normal(5), zeros(5), dtypes=FLOATS)

# --- bias, losses

case("BiasAdd", lambda tf, x, b: tf.nn.bias_add(x, b), normal(2, 3), normal(3), dtypes=FLOATS + HALF)
case("BiasAdd image", lambda tf, x, b: tf.nn.bias_add(x, b), normal(1, 2, 2, 3), normal(3))
case("BiasAdd NCHW", lambda tf, x, b: tf.nn.bias_add(x, b, data_format="NCHW"), normal(1, 3, 2, 2), normal(3))
case("BiasAddV1", lambda tf, x, b: raw(tf, "BiasAddV1", value=x, bias=b), normal(2, 3), normal(3))
case("BiasAddGrad", lambda tf, g: raw(tf, "BiasAddGrad", out_backprop=g), normal(2, 2, 3))
case("L2Loss", lambda tf, x: tf.nn.l2_loss(x), normal(2, 3), dtypes=FLOATS + HALF)
case("SoftmaxCrossEntropyWithLogits", lambda tf, y, x: tf.nn.softmax_cross_entropy_with_logits(labels=tf.nn.softmax(y), logits=x),
     normal(3, 4), normal(3, 4), dtypes=FLOATS + HALF)
case("SparseSoftmaxCrossEntropyWithLogits", lambda tf, y, x: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x),
     ints(0, 4, 3), normal(3, 4), dtypes=FLOATS + HALF)
case("SparseSoftmaxCrossEntropyWithLogits int64 rank 3", lambda tf, y, x: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x),
     ints(0, 4, 2, 3, dtype="int64"), normal(2, 3, 4))
case("Log1p sigmoid cross entropy", lambda tf, y, x: tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=x), probability(2, 3), zeros(2, 3), dtypes=FLOATS)
case("Log1p weighted cross entropy", lambda tf, y, x: tf.nn.weighted_cross_entropy_with_logits(y, x, 2.0), probability(2, 3), normal(2, 3))
case("Exp poisson", lambda tf, y, x: tf.nn.log_poisson_loss(y, x, compute_full_loss=True), positive(2, 3), normal(2, 3))
case("InTopKV2", lambda tf, t, x: tf.math.in_top_k(t, x, 2), ints(0, 4, 3), distinct(3, 4), grad=False)
case("InTopKV2 ties", lambda tf, t, x: tf.math.in_top_k(t, x, 2), ints(0, 4, 3), ties(3, 4), grad=False)
case("LRN", lambda tf, x: tf.nn.local_response_normalization(x, 2, alpha=0.5, beta=0.7), normal(1, 2, 2, 5), loose=CONVOLVED)
case("LRNGrad", lambda tf, g, x, y: raw(tf, "LRNGrad", input_grads=g, input_image=x, output_image=y, depth_radius=1), normal(1, 2, 2, 3), normal(1, 2, 2, 3),
     normal(1, 2, 2, 3), grad=False, loose=CONVOLVED)
case("Mean moments", lambda tf, x: tf.nn.moments(x, [0, 1]), normal(2, 3, 2), dtypes=FLOATS + HALF)
case("Rsqrt l2_normalize", lambda tf, x: tf.nn.l2_normalize(x, 1), normal(2, 3), dtypes=FLOATS)
case("Rsqrt batch_normalization", lambda tf, x, m, v: tf.nn.batch_normalization(x, m, v, None, 2.0, 1e-3), normal(2, 3), normal(3), positive(3))

# --- convolutions

for _padding in ("SAME", "VALID"):
    case(f"Conv2D {_padding}", lambda tf, x, k, _p=_padding: tf.nn.conv2d(x, k, 1, _p), normal(2, 5, 4, 3), normal(3, 2, 3, 4), dtypes=FLOATS, loose=CONVOLVED)
    case(f"Conv2D strided {_padding}", lambda tf, x, k, _p=_padding: tf.nn.conv2d(x, k, [1, 2, 2, 1], _p), normal(1, 6, 5, 2), normal(3, 3, 2, 2), loose=CONVOLVED)
    case(f"Conv2D dilated {_padding}", lambda tf, x, k, _p=_padding: tf.nn.conv2d(x, k, 1, _p, dilations=2), normal(1, 6, 7, 2), normal(2, 3, 2, 2), loose=CONVOLVED)
    case(f"DepthwiseConv2dNative {_padding}", lambda tf, x, k, _p=_padding: tf.nn.depthwise_conv2d(x, k, [1, 2, 2, 1], _p), normal(1, 5, 4, 3),
         normal(2, 3, 3, 2), dtypes=FLOATS, loose=CONVOLVED)
    case(f"Conv3D {_padding}", lambda tf, x, k, _p=_padding: tf.nn.conv3d(x, k, [1, 1, 2, 1, 1], _p), normal(1, 3, 4, 3, 2), normal(2, 2, 2, 2, 3), loose=CONVOLVED)
case("Conv2D bfloat16", lambda tf, x, k: tf.nn.conv2d(x, k, 1, "SAME"), normal(1, 4, 4, 2), normal(3, 3, 2, 2), dtypes=("bfloat16",), loose=CONVOLVED)
case("Conv2D explicit", lambda tf, x, k: tf.nn.conv2d(x, k, 1, [[0, 0], [1, 2], [0, 1], [0, 0]]), normal(1, 4, 4, 2), normal(3, 3, 2, 2), loose=CONVOLVED)
case("Conv2D groups", lambda tf, x, k: tf.nn.conv2d(x, k, 1, "SAME"), normal(1, 4, 4, 4), normal(3, 3, 2, 6), loose=CONVOLVED)
case("Conv2D conv1d", lambda tf, x, k: tf.nn.conv1d(x, k, 2, "SAME"), normal(2, 6, 3), normal(3, 3, 4), loose=CONVOLVED)
case("Conv2D convolution", lambda tf, x, k: tf.nn.convolution(x, k, padding="SAME"), normal(1, 4, 4, 2), normal(3, 3, 2, 2), loose=CONVOLVED)
case("Conv2DBackpropInput", lambda tf, g, k: tf.nn.conv2d_transpose(g, k, [1, 6, 6, 2], 2), normal(1, 3, 3, 4), normal(3, 3, 2, 4), dtypes=FLOATS, loose=CONVOLVED)
case("Conv2DBackpropInput conv1d", lambda tf, g, k: tf.nn.conv1d_transpose(g, k, [1, 6, 2], 2), normal(1, 3, 4), normal(3, 2, 4), loose=CONVOLVED)
case("Conv2DBackpropFilter", lambda tf, x, g: raw(tf, "Conv2DBackpropFilter", input=x, filter_sizes=[3, 3, 2, 4], out_backprop=g, strides=[1, 1, 1, 1],
                                                  padding="SAME"), normal(1, 4, 4, 2), normal(1, 4, 4, 4), loose=CONVOLVED)
case("Conv3DBackpropInputV2", lambda tf, g, k: tf.nn.conv3d_transpose(g, k, [1, 4, 4, 4, 2], 2), normal(1, 2, 2, 2, 3), normal(3, 3, 3, 2, 3), loose=CONVOLVED)
case("Conv3DBackpropFilterV2", lambda tf, x, g: raw(tf, "Conv3DBackpropFilterV2", input=x, filter_sizes=[2, 2, 2, 2, 3], out_backprop=g,
                                                    strides=[1, 1, 1, 1, 1], padding="SAME"), normal(1, 3, 3, 3, 2), normal(1, 3, 3, 3, 3), loose=CONVOLVED)
case("DepthwiseConv2dNativeBackpropInput", lambda tf, k, g: raw(tf, "DepthwiseConv2dNativeBackpropInput", input_sizes=[1, 4, 4, 2], filter=k, out_backprop=g,
                                                                strides=[1, 1, 1, 1], padding="SAME"), normal(3, 3, 2, 2), normal(1, 4, 4, 4), loose=CONVOLVED)
case("DepthwiseConv2dNativeBackpropFilter", lambda tf, x, g: raw(tf, "DepthwiseConv2dNativeBackpropFilter", input=x, filter_sizes=[3, 3, 2, 2], out_backprop=g,
                                                                 strides=[1, 1, 1, 1], padding="SAME"), normal(1, 4, 4, 2), normal(1, 4, 4, 4), loose=CONVOLVED)
case("DepthwiseConv2dNative separable", lambda tf, x, d, p: tf.nn.separable_conv2d(x, d, p, [1, 1, 1, 1], "SAME"), normal(1, 4, 4, 2), normal(3, 3, 2, 1),
     normal(1, 1, 2, 3), loose=CONVOLVED, covers=("Conv2D",))
case("Dilation2D", lambda tf, x, k: tf.nn.dilation2d(x, k, [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]), distinct(1, 4, 4, 2), normal(2, 2, 2), covers=("Dilation2DBackpropInput", "Dilation2DBackpropFilter"))
case("Dilation2D rates", lambda tf, x, k: tf.nn.dilation2d(x, k, [1, 2, 1, 1], "VALID", "NHWC", [1, 1, 2, 1]), distinct(1, 5, 5, 2), normal(2, 2, 2), dtypes=FLOATS)
case("Dilation2D erosion", lambda tf, x, k: tf.nn.erosion2d(x, k, [1, 1, 2, 1], "SAME", "NHWC", [1, 2, 1, 1]), distinct(2, 4, 4, 1), normal(3, 2, 1))

# --- pooling

for _padding in ("SAME", "VALID"):
    case(f"MaxPool {_padding}", lambda tf, x, _p=_padding: tf.nn.max_pool2d(x, 2, 2, _p), distinct(1, 5, 4, 2), dtypes=FLOATS)
    case(f"MaxPool overlapping {_padding}", lambda tf, x, _p=_padding: tf.nn.max_pool2d(x, 3, 1, _p), distinct(1, 4, 4, 1))
    case(f"AvgPool {_padding}", lambda tf, x, _p=_padding: tf.nn.avg_pool2d(x, 2, 2, _p), normal(1, 5, 4, 2), dtypes=FLOATS)
    case(f"MaxPool3D {_padding}", lambda tf, x, _p=_padding: tf.nn.max_pool3d(x, 2, 2, _p), distinct(1, 3, 4, 3, 1))
    case(f"AvgPool3D {_padding}", lambda tf, x, _p=_padding: tf.nn.avg_pool3d(x, 2, 2, _p), normal(1, 3, 4, 3, 1))
case("MaxPool ties", lambda tf, x: tf.nn.max_pool2d(x, 2, 2, "SAME"), ties(1, 4, 4, 1))
case("MaxPool bfloat16", lambda tf, x: tf.nn.max_pool2d(x, 2, 2, "SAME"), distinct(1, 4, 4, 1), dtypes=("bfloat16",))
case("MaxPool 1d", lambda tf, x: tf.nn.max_pool1d(x, 2, 2, "VALID"), distinct(1, 5, 2))
case("AvgPool 1d", lambda tf, x: tf.nn.avg_pool1d(x, 2, 2, "SAME"), normal(1, 5, 2))
case("MaxPoolV2", lambda tf, x: raw(tf, "MaxPoolV2", input=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME"), distinct(1, 4, 4, 1), covers=("MaxPoolGradV2",))
case("MaxPoolGradGradV2", lambda tf, x, g: raw(tf, "MaxPoolGradGradV2", orig_input=x, orig_output=tf.nn.max_pool2d(x, 2, 2, "VALID"), grad=g, **_POOL),
     distinct(1, 4, 4, 1), normal(1, 4, 4, 1), grad=False)
case("MaxPoolWithArgmax", lambda tf, x: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME"), distinct(1, 4, 4, 2))
_POOL = dict(ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
case("MaxPoolGrad", lambda tf, x, g: raw(tf, "MaxPoolGrad", orig_input=x, orig_output=tf.nn.max_pool2d(x, 2, 2, "VALID"), grad=g, **_POOL),
     distinct(1, 4, 4, 1), normal(1, 2, 2, 1))
case("MaxPoolGradGrad", lambda tf, x, g: raw(tf, "MaxPoolGradGrad", orig_input=x, orig_output=tf.nn.max_pool2d(x, 2, 2, "VALID"), grad=g, **_POOL),
     distinct(1, 4, 4, 1), normal(1, 4, 4, 1), grad=False)
case("MaxPoolGradWithArgmax", lambda tf, x, g: raw(tf, "MaxPoolGradWithArgmax", input=x, grad=g, argmax=tf.nn.max_pool_with_argmax(x, 2, 2, "VALID")[1], **_POOL),
     distinct(1, 4, 4, 1), normal(1, 2, 2, 1), grad=False)
case("AvgPoolGrad", lambda tf, g: raw(tf, "AvgPoolGrad", orig_input_shape=[1, 4, 4, 1], grad=g, **_POOL), normal(1, 2, 2, 1))

# --- normalisation

for _training in (True, False):
    case(f"FusedBatchNormV3 {'training' if _training else 'inference'}",
         lambda tf, x, s, o, m, v, _t=_training: raw(tf, "FusedBatchNormV3", x=x, scale=s, offset=o, mean=m, variance=v, is_training=_t, epsilon=1e-3)[:3],
         normal(2, 3, 3, 2), positive(2), normal(2), normal(2), positive(2), loose=CONVOLVED)
case("FusedBatchNormV3 bfloat16", lambda tf, x, s, o: raw(tf, "FusedBatchNormV3", x=x, scale=s, offset=o, mean=[], variance=[], epsilon=1e-3)[0],
     normal(2, 3, 3, 2), positive(2, dtype="float32"), normal(2, dtype="float32"), dtypes=("bfloat16",), loose=CONVOLVED)
_NORM = dict(epsilon=1e-3, is_training=True)
for _suffix in ("", "V2", "V3"):
    case(f"FusedBatchNormGrad{_suffix}", lambda tf, g, x, s, m, v, _s=_suffix: raw(
        tf, f"FusedBatchNormGrad{_s}", y_backprop=g, x=x, scale=s, reserve_space_1=m, reserve_space_2=v, **_NORM,
        **({"reserve_space_3": [0.0]} if _s == "V3" else {}))[:3],
        normal(2, 3, 3, 2), normal(2, 3, 3, 2), positive(2), normal(2), positive(2), grad=False, loose=CONVOLVED)
for _suffix in ("", "V2"):
    case(f"FusedBatchNorm{_suffix}", lambda tf, x, s, o, _s=_suffix: raw(tf, f"FusedBatchNorm{_s}", x=x, scale=s, offset=o, mean=[], variance=[], **_NORM)[:3],
         normal(2, 3, 3, 2), positive(2), normal(2), loose=CONVOLVED)
_POOL3 = dict(ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding="VALID")
case("MaxPool3DGrad", lambda tf, x, g: raw(tf, "MaxPool3DGrad", orig_input=x, orig_output=tf.nn.max_pool3d(x, 2, 2, "VALID"), grad=g, **_POOL3),
     distinct(1, 4, 4, 4, 1), normal(1, 2, 2, 2, 1), grad=False)
case("MaxPool3DGradGrad", lambda tf, x, g: raw(tf, "MaxPool3DGradGrad", orig_input=x, orig_output=tf.nn.max_pool3d(x, 2, 2, "VALID"), grad=g, **_POOL3),
     distinct(1, 4, 4, 4, 1), normal(1, 4, 4, 4, 1), grad=False)
case("AvgPool3DGrad", lambda tf, g: raw(tf, "AvgPool3DGrad", orig_input_shape=[1, 4, 4, 4, 1], grad=g, **_POOL3), normal(1, 2, 2, 2, 1), grad=False)

# --- images

for _op in ("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea"):
    for _size in ((6, 5), (2, 3)):
        case(f"{_op} {_size[0]}x{_size[1]}", lambda tf, x, _op=_op, _s=_size: raw(
            tf, _op, images=x, size=_s, **({} if _op == "ResizeArea" else {"half_pixel_centers": True})), normal(1, 4, 3, 2), loose=CONVOLVED)
case("ResizeBilinear corners", lambda tf, x: raw(tf, "ResizeBilinear", images=x, size=[6, 5], align_corners=True), normal(1, 4, 3, 2), loose=CONVOLVED)
case("ResizeBilinear image", lambda tf, x: tf.image.resize(x, [6, 5]), normal(1, 4, 3, 2), loose=CONVOLVED)
case("ScaleAndTranslate", lambda tf, x: tf.image.resize(x, [2, 3], method="lanczos3", antialias=True), normal(1, 4, 4, 2), loose=CONVOLVED)
case("RGBToHSV", lambda tf, x: tf.image.rgb_to_hsv(x), probability(2, 3), grad=False)
case("HSVToRGB", lambda tf, x: tf.image.hsv_to_rgb(x), probability(2, 3), grad=False)
case("ExtractImagePatches", lambda tf, x: tf.image.extract_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "SAME"), normal(1, 5, 4, 2))
case("ImageProjectiveTransformV3", lambda tf, x: raw(tf, "ImageProjectiveTransformV3", images=x, transforms=[[1.0, 0.2, 0.5, -0.1, 0.9, 0.0, 0.0, 0.0]],
                                                     output_shape=[4, 4], fill_value=0.5, interpolation="BILINEAR"), normal(1, 4, 4, 1), loose=CONVOLVED)

# --- pooling by ratios
for _kind in ("Max", "Avg"):
    for _label, _facts in (("", dict(seed=3, seed2=5)), ("pseudo", dict(pseudo_random=True, seed=3, seed2=5)), ("overlapping", dict(overlapping=True, seed=1, seed2=2)),
                           ("both", dict(pseudo_random=True, overlapping=True, seed=8, seed2=2))):
        case(f"Fractional{_kind}Pool {_label}".strip(), lambda tf, x, _k=_kind, _f=_facts: raw(tf, f"Fractional{_k}Pool", value=x, pooling_ratio=[1.0, 1.4, 2.3, 1.0], deterministic=True, **_f), normal(2, 9, 11, 2), dtypes=("float32", "float64") if not _label else ("float32",),
             modes=EAGER, covers=(f"Fractional{_kind}PoolGrad",))

# --- the CTC loss as one op, which TensorFlow has on a CPU with the blank as the last class
_SPARSE = dict(labels_indices=[[0, 0], [0, 1], [1, 0], [1, 1]], labels_values=[1, 1, 2, 1], sequence_length=[5, 3])


def _ctc(name, **options):
    def expression(tf, x):
        out = raw(tf, name, inputs=x, **{**_SPARSE, "labels_indices": tf.constant(_SPARSE["labels_indices"], tf.int64)}, **options)
        return [out[0], tf.stop_gradient(out[1])]

    return expression


for _label, _options in (("", {}), ("collapsed", dict(preprocess_collapse_repeated=True)), ("unmerged", dict(ctc_merge_repeated=False)), ("ignored", dict(ignore_longer_outputs_than_inputs=True))):
    case(f"CTCLoss {_label}".strip(), _ctc("CTCLoss", **_options), normal(5, 2, 4))


def _rolled(tf, x):
    """The classes in the order of `CTCLoss`, whose blank is the last, and its gradient in the order of `CTCLossV2`."""
    given = {**_SPARSE, "labels_indices": tf.constant(_SPARSE["labels_indices"], tf.int64), "labels_values": [0, 0, 1, 0]}
    loss, gradient = raw(tf, "CTCLoss", inputs=tf.roll(x, -1, 2), **given)
    return [loss, tf.roll(tf.stop_gradient(gradient), 1, 2)]


case("CTCLossV2", _ctc("CTCLossV2"), normal(5, 2, 4), reference=_rolled)
case("MaxPoolGradGradWithArgmax", lambda tf, x, g: raw(tf, "MaxPoolGradGradWithArgmax", input=x, grad=g, argmax=tf.nn.max_pool_with_argmax(x, 2, 2, "VALID")[1], **_POOL),
     distinct(2, 4, 4, 2), normal(2, 4, 4, 2), grad=False, reference=lambda tf, x, g: raw(tf, "MaxPoolGradGrad", orig_input=x, orig_output=tf.nn.max_pool2d(x, 2, 2, "VALID"), grad=g, **_POOL))
