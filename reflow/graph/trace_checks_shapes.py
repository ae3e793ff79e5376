"""The checks of `trace_checks.py` that are about ranks, windows and matrices."""

from __future__ import annotations

from reflow.core.resources import HandleFacts
from reflow.graph.trace_checks import checks, numbers, words
from reflow.graph.trace_words import Misfit, equal, is_value, rank, rank_at_least, rank_at_most, same_shape
from reflow.ops.kernels.nn.windows import INT32, MOST_SIZE, Layout

# --- variables ------------------------------------------------------------------------------------------------------


@checks("AssignAddVariableOp", "AssignSubVariableOp")
def _update(f):
    if isinstance(f.values[0], HandleFacts):
        same_shape(f.values[0].dims, f.shapes[1])


# --- windows --------------------------------------------------------------------------------------------------------


def _channels_last(f) -> bool:
    return not f.attrs.get("data_format", "NHWC").startswith("NC")


def _spatial(f, values) -> tuple:
    """The part of a shape, or of strides, that belongs to space."""
    return tuple(values[1:-1] if _channels_last(f) else values[2:])


def _in_32_bits(f, *names):
    for name in names:
        for value in f.attrs.get(name) or ():
            if value not in INT32:
                raise Misfit(f"Attr {name} has value {value} out of range for an int32")


def _explicit_padding(f, sizes):
    if f.attrs["padding"] != "EXPLICIT":
        return
    layout = Layout(f.attrs.get("data_format", "NHWC"), 2)
    try:
        pairs = layout.explicit(f.attrs["explicit_paddings"])
    except ValueError as error:
        raise Misfit(str(error)) from None
    for size, pair in zip(sizes, pairs, strict=True):
        if size is not None and size + sum(pair) > MOST_SIZE:
            raise Misfit(f"Dimension size overflow from adding {size} and {sum(pair) - 2**64}")


def _window(f, sizes, window, dilations):
    strides = _spatial(f, f.attrs["strides"])
    for size, taps, stride, dilation in zip(sizes, window, strides, dilations, strict=True):
        if stride <= 0:
            raise Misfit(f"Stride must be > 0, but got {stride}")
        if dilation <= 0:
            raise Misfit(f"Dilation rate must be >= 1, but got {dilation}")
        if f.attrs["padding"] == "VALID" and size is not None and taps is not None:
            wide = (taps - 1) * dilation + 1
            if size < wide:
                raise Misfit(f"Negative dimension size caused by subtracting {wide} from {size}")


@checks("Conv2D", "Conv3D", "DepthwiseConv2dNative")
def _conv(f):
    dims, taps = f.shapes
    space = 3 if f.op.name == "Conv3D" else 2
    _in_32_bits(f, "strides", "dilations")
    rank(dims, space + 2)
    rank(taps, space + 2)
    if dims is None or taps is None:
        return
    depth, given, made = dims[-1 if _channels_last(f) else 1], taps[-2], taps[-1]
    if f.op.name == "DepthwiseConv2dNative":
        equal(depth, given)
    elif depth is not None and given:
        if depth % given:
            raise Misfit(f"Depth of input ({depth}) is not a multiple of input depth of filter ({given})")
        if made is not None and made % (depth // given or 1):
            raise Misfit(f"Depth of output ({made}) is not a multiple of the number of groups ({depth // given})")
    dilations = _spatial(f, f.attrs.get("dilations", (1,) * (space + 2)))
    _window(f, _spatial(f, dims), taps[:space], dilations)
    _explicit_padding(f, _spatial(f, dims))


@checks("Conv2DBackpropInput")
def _conv_input(f):
    _, taps, out = f.shapes
    sizes = f.values[0]
    rank(taps, 4)
    rank(out, 4)
    if out is not None and sizes and sizes[0] != -1:  # -1 is unknown, as everywhere in shapes
        equal(sizes[0], out[0])
    if taps is not None and out is not None:
        equal(out[-1 if _channels_last(f) else 1], taps[3])


@checks("MaxPool", "AvgPool", "MaxPool3D", "AvgPool3D")
def _pool(f):
    space = 3 if f.op.name.endswith("3D") else 2
    _in_32_bits(f, "strides", "ksize")
    rank(f.shapes[0], space + 2)
    if f.shapes[0] is not None:
        _window(f, _spatial(f, f.shapes[0]), _spatial(f, f.attrs["ksize"]), (1,) * space)


@checks("BiasAdd", "BiasAddV1")
def _bias(f):
    dims, bias = f.shapes
    last = _channels_last(f)
    rank_at_least(dims, 2 if last else 3)
    rank(bias, 1)
    if dims is not None and bias is not None:
        equal(dims[-1 if last else 1], bias[0])


@checks("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def _batch_norm(f):
    dims, *others = f.shapes
    rank(dims, len(f.attrs.get("data_format", "NHWC")))
    if dims is None:
        return
    depth = dims[-1 if _channels_last(f) else 1]
    for other in others[: 2 if f.attrs.get("is_training", True) else 4]:
        rank(other, 1)
        if other is not None:
            equal(depth, other[0])


@checks("Dilation2D")
def _dilation(f):
    _in_32_bits(f, "strides", "rates")
    rank(f.shapes[0], 4)
    rank(f.shapes[1], 3)
    if None not in f.shapes:
        equal(f.shapes[0][3], f.shapes[1][2])


@checks("LowerBound", "UpperBound")
def _bounds(f):
    for dims in f.shapes:
        rank(dims, 2)


@checks("RGBToHSV", "HSVToRGB")
def _three_channels(f):
    rank_at_least(f.shapes[0], 1)
    if f.shapes[0]:
        is_value(f.shapes[0][-1], 3)


# --- matrices -------------------------------------------------------------------------------------------------------


@checks(
    "Eig",
    "Lu",
    "MatrixInverse",
    "Cholesky",
    "SelfAdjointEigV2",
    "MatrixExponential",
    "MatrixSquareRoot",
    "MatrixLogarithm",
)
def _square(f):
    rank_at_least(f.shapes[0], 2)
    if f.shapes[0] is not None:
        equal(f.shapes[0][-2], f.shapes[0][-1])


@checks("MatrixDeterminant", "LogMatrixDeterminant")
def _determinant(f):
    rank_at_least(f.shapes[0], 2)
    if f.shapes[0] is not None:
        equal(f.shapes[0][-1], f.shapes[0][-2])


@checks("MatrixSolve", "MatrixTriangularSolve")
def _solve(f):
    _square(f)
    rank_at_least(f.shapes[1], 2)
    if f.shapes[0] is not None and f.shapes[1] is not None:
        if f.op.name == "MatrixSolve":
            same_shape(f.shapes[0][:-2], f.shapes[1][:-2])
        equal(f.shapes[0][-2], f.shapes[1][-2])


@checks("MatrixSetDiag", "MatrixSetDiagV2", "MatrixSetDiagV3")
def _set_diagonal(f):
    dims, diagonal = f.shapes[:2]
    rank_at_least(dims, 2)
    k = numbers(f.values[2]) if len(f.values) > 2 else (0,)
    if dims is None or k is None:
        return
    wanted = len(dims) - (k[0] == k[-1])
    if f.op.name != "MatrixSetDiag":
        rank_at_least(diagonal, wanted)
    rank(diagonal, wanted)
    if f.op.name == "MatrixSetDiag" and diagonal is not None and None not in dims[-2:]:
        equal(min(dims[-2:]), diagonal[-1])


@checks("DiagPart")
def _diag_part(f):
    dims = f.shapes[0]
    if dims is not None:
        if not dims or len(dims) % 2:
            raise Misfit(f"Input must have even and non-zero rank, input rank is {len(dims)}")
        half = len(dims) // 2
        for a, b in zip(dims[:half], dims[half:], strict=True):
            equal(a, b)


@checks("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
def _batch_norm_gradient(f):
    dy, dx, *others = f.shapes[:5]
    for dims in (dy, dx):
        rank(dims, len(f.attrs.get("data_format", "NHWC")))
    for dims in others:
        rank(dims, 1)
    channel = -1 if _channels_last(f) else 1
    depths = [dims[channel] for dims in (dy, dx) if dims is not None] + [d[0] for d in others if d is not None]
    for depth in depths[1:]:
        equal(depths[0], depth)


@checks("MaxPoolGradGrad", "MaxPoolGradGradV2", "MaxPool3DGradGrad")
def _pool_second_gradient(f):
    same_shape(f.shapes[0], f.shapes[2])


@checks("SparseTensorDenseMatMul")
def _sparse_product(f):
    sparse, dense = f.values[2], f.shapes[3]
    for dims, number in zip(f.shapes, (2, 1, 1, 2), strict=True):
        rank(dims, number)
    if sparse is not None and dense is not None:
        equal(sparse[0 if f.attrs.get("adjoint_a") else 1], dense[1 if f.attrs.get("adjoint_b") else 0])


#: the rank of each input: "2+" is at least two, "2-" at most two, "1=2" a vector of two, "*" any
RANKS = {
    **dict.fromkeys(("Softmax", "LogSoftmax", "FFT", "IFFT", "MatrixDiagV3"), "1+"),
    **dict.fromkeys(("Qr", "Svd", "MatrixDiagPartV3", "FFT2D", "IFFT2D"), "2+"),
    **dict.fromkeys(("FFT3D", "IFFT3D", "EncodePng"), "3+"),
    **dict.fromkeys(("LRN", "ExtractImagePatches", "ImageProjectiveTransformV3", "SpaceToDepth", "DepthToSpace"), "4"),
    **dict.fromkeys(
        ("ResizeBicubic", "ResizeArea", "ResizeNearestNeighbor", "ResizeBilinear", "ScaleAndTranslate"), "4"
    ),
    **dict.fromkeys(("ResizeNearestNeighborGrad", "MaxPoolV2", "MaxPoolWithArgmax"), "4"),
    **dict.fromkeys(("InvertPermutation", "Unique"), "1"),
    **dict.fromkeys(("CTCGreedyDecoder", "CTCBeamSearchDecoder"), "3 1"),
    "DenseBincount": "2- 0",
    "DenseToDenseSetOperation": "2+ 2+",
    "EditDistance": "2 1 1 2 1 1",
    "EncodeJpeg": "3",
    "EncodeWav": "2 0",
    "FakeQuantWithMinMaxVars": "* 0 0",
    "DecodePng": "0",
    "Fingerprint": "1+ 0",
    "ListDiff": "1 1",
    "RegexFullMatch": "* 0",
    "RegexReplace": "* 0 0",
    "StatelessMultinomial": "2 0 1=2",
    "StringSplit": "1 0",
    **dict.fromkeys(("StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg"), "1=2"),
    **dict.fromkeys(("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"), "* 1=2"),
    **dict.fromkeys(("StatelessRandomUniformInt", "StatelessRandomUniformFullInt", "StatelessRandomGammaV2"), "* 1=2"),
    **dict.fromkeys(("StatelessRandomBinomial", "StatelessRandomPoisson"), "* 1=2"),
}
EQUAL_SHAPES = (
    *("ApproximateEqual", "Betainc", "ReluGrad", "Relu6Grad", "LeakyReluGrad", "SoftplusGrad", "SoftsignGrad"),
    *("EluGrad", "SeluGrad", "FakeQuantWithMinMaxVarsGradient", "FakeQuantWithMinMaxVarsPerChannelGradient", "LRNGrad"),
)


def _ranks(spec: str):
    wanted = [(place, w) for place, w in enumerate(spec.split()) if w != "*"]
    tests = {"+": rank_at_least, "-": rank_at_most}
    parts = [(place, tests.get(w[-1], rank), int(w[0]), int(w[2:]) if "=" in w else None) for place, w in wanted]

    def check(f):
        for place, test, number, size in parts:
            dims = f.shapes[place]
            test(dims, number)
            if size is not None and dims is not None:
                is_value(dims[0], size)

    return check


for _name, _spec in RANKS.items():
    checks(_name)(_ranks(_spec))


@checks(*EQUAL_SHAPES)
def _equal_shapes(f):
    """Of gradients of quantization, the first two; scalars fit in with betainc."""
    shapes = [s for s in f.shapes if s != ()] if f.op.name == "Betainc" else f.shapes
    if f.op.name.startswith("FakeQuant"):
        shapes = shapes[:2]
    if f.op.name == "LRNGrad":
        rank(shapes[0], 4)
    for other in shapes[1:]:
        same_shape(shapes[0], other)


@checks("PlaceholderWithDefault")
def _default_value(f):
    same_shape(f.shapes[0], f.attrs["shape"])


@checks("FakeQuantWithMinMaxVarsPerChannel")
def _per_channel(f):
    rank_at_least(f.shapes[0], 1)
    for dims in f.shapes[1:]:
        rank(dims, 1)
        if f.shapes[0] is not None and dims is not None:
            equal(f.shapes[0][-1], dims[0])


@checks("Select")
def _select(f):
    condition, dims, other = f.shapes
    same_shape(dims, other)
    if condition is not None and len(condition) == 1 and dims:
        same_shape(condition, dims[:1])
    elif condition:
        same_shape(dims, condition)


@checks("InitializeTableV2")
def _table(f):
    rank(f.shapes[1], 1)
    same_shape(f.shapes[1], f.shapes[2])


# --- boxes ----------------------------------------------------------------------------------------------------------


@checks("NonMaxSuppressionV3", "NonMaxSuppressionV4", "NonMaxSuppressionV5", "CombinedNonMaxSuppression")
def _scored_boxes(f):
    boxes, scores = f.shapes[:2]
    rank(boxes, 4 if f.op.name.startswith("Combined") else 2)
    rank(scores, 3 if f.op.name.startswith("Combined") else 1)
    if boxes is not None and scores is not None:
        equal(boxes[0], scores[0])
        if len(boxes) == 4 and None not in (boxes[2], scores[2]) and boxes[2] not in (1, scores[2]):
            raise Misfit("third dimension of boxes must be either 1 or equal to the third dimension of scores")
    if boxes is not None:
        is_value(boxes[-1], 4)


@checks("NonMaxSuppressionWithOverlaps")
def _overlaps(f):
    overlaps, scores = f.shapes[:2]
    rank(overlaps, 2)
    rank(scores, 1)
    if overlaps is not None:
        if scores is not None:
            equal(overlaps[0], scores[0])
        equal(overlaps[0], overlaps[1])


@checks("CropAndResize")
def _crops(f):
    image, boxes, numbers, _ = f.shapes
    rank(image, 4)
    rank(boxes, 2)
    rank(numbers, 1)
    if boxes is not None:
        if numbers is not None:
            equal(boxes[0], numbers[0])
        is_value(boxes[1], 4)


@checks("DrawBoundingBoxes")
def _drawn_boxes(f):
    rank(f.shapes[0], 4)
    rank(f.shapes[1], 3)
    if f.shapes[0] is not None and f.shapes[0][3] not in (None, 1, 3, 4):
        raise Misfit("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)")
    if f.shapes[1] is not None:
        is_value(f.shapes[1][2], 4)


@words("DrawBoundingBoxesV2", "CropAndResizeGradImage", "CropAndResizeGradBoxes")
def _not_before_it_runs(f):
    """Nothing is refused while it is traced."""


@checks("ExtractGlimpseV2")
def _glimpses(f):
    image, _, offsets = f.shapes
    rank(image, 4)
    rank(offsets, 2)
    if offsets is not None:
        if image is not None:
            equal(image[0], offsets[0])
        is_value(offsets[1], 2)


@checks("SampleDistortedBoundingBoxV2")
def _sampled_boxes(f):
    rank(f.shapes[0], 1)
    rank(f.shapes[1], 3)
    if f.shapes[1] is not None:
        is_value(f.shapes[1][2], 4)


@checks("EncodeJpegVariableQuality")
def _one_image(f):
    rank(f.shapes[0], 3)
