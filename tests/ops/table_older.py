"""Ops of older graphs, and ops that compute in one step what others do in two."""
# ruff: noqa: E501 - a case is one line

from tests.ops.inputs import const, ints, nonfinite, normal, positive, probability
from tests.ops.table import EAGER, FLOATS, case, raw

# --- arrays
case("Reverse", lambda tf, x: raw(tf, "Reverse", tensor=x, dims=[True, False, True]), normal(2, 3, 2))
case("SpaceToBatch", lambda tf, x: raw(tf, "SpaceToBatch", input=x, paddings=[[1, 1], [0, 0]], block_size=2), normal(1, 2, 4, 1))
case("BatchToSpace", lambda tf, x: raw(tf, "BatchToSpace", input=x, crops=[[1, 1], [0, 0]], block_size=2), normal(4, 2, 2, 1))
for _op in ("InplaceUpdate", "InplaceAdd", "InplaceSub"):
    case(_op, lambda tf, x, v, _op=_op: raw(tf, _op, x=x + 0.0, i=[1, -1], v=v), normal(4, 2), normal(2, 2), grad=False, modes=EAGER)
for _op in ("Copy", "CopyHost"):
    case(_op, lambda tf, x, _op=_op: raw(tf, _op, input=x), normal(2, 2), grad=False)
case("DebugGradientIdentity", lambda tf, x: raw(tf, "DebugGradientIdentity", input=x), normal(2, 2), grad=False)
case("DataFormatDimMap", lambda tf: raw(tf, "DataFormatDimMap", x=[0, 1, -1, 2], src_format="NHWC", dst_format="NCHW"), grad=False)
case("DataFormatDimMap 3d", lambda tf: raw(tf, "DataFormatDimMap", x=[1, 4, -4], src_format="NDHWC", dst_format="NCDHW"), grad=False)
case("DataFormatVecPermute", lambda tf: raw(tf, "DataFormatVecPermute", x=[7, 4, 9, 3], src_format="NHWC", dst_format="NCHW"), grad=False)
case("DataFormatVecPermute pairs", lambda tf: raw(tf, "DataFormatVecPermute", x=[[7, 4], [9, 3], [4, 5], [5, 1]], src_format="NCHW", dst_format="NHWC"), grad=False)
case("DataFormatVecPermute spatial", lambda tf: raw(tf, "DataFormatVecPermute", x=[4, 9], src_format="NHWC", dst_format="NCHW"), grad=False)
case("ToBool", lambda tf, x: [raw(tf, "ToBool", input=x), raw(tf, "ToBool", input=x[0, 0]), raw(tf, "ToBool", input=tf.constant(""))], normal(2, 2), grad=False, modes=EAGER)
case("DeviceIndex", lambda tf: [raw(tf, "DeviceIndex", device_names=["CPU", "GPU"]), raw(tf, "DeviceIndex", device_names=["GPU"])], grad=False, modes=EAGER)

for _op in ("Exit", "NextIteration"):
    case(_op, lambda tf, x, _op=_op: raw(tf, _op, data=x), normal(2, 2), grad=False, modes=EAGER)
case("Enter", lambda tf, x: raw(tf, "Enter", data=x, frame_name="loop"), normal(2, 2), grad=False, modes=EAGER)
case("LoopCond", lambda tf: raw(tf, "LoopCond", input=True), grad=False, modes=EAGER)
case("Switch", lambda tf, x: raw(tf, "Switch", data=x, pred=True)[1], normal(2, 2), grad=False, modes=EAGER)
case("Merge", lambda tf, x: raw(tf, "Merge", inputs=[x, x[0]]), normal(2, 2), grad=False, modes=EAGER)

# --- images
case("AdjustContrastv2", lambda tf, x: raw(tf, "AdjustContrastv2", images=x, contrast_factor=1.5), probability(2, 3, 4, 3), grad=False)
case("AdjustHue", lambda tf, x: raw(tf, "AdjustHue", images=x, delta=0.3), probability(2, 3, 3), grad=False)
case("AdjustSaturation", lambda tf, x: raw(tf, "AdjustSaturation", images=x, scale=1.7), probability(2, 3, 3), grad=False)
_BOXES = const([[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 10.0, 1.0, 11.0], [0.0, -0.1, 1.0, 0.9]])
_SCORES = const([0.9, 0.75, 0.6, 0.95])
case("NonMaxSuppression", lambda tf, b, s: raw(tf, "NonMaxSuppression", boxes=b, scores=s, max_output_size=3, iou_threshold=0.5), _BOXES, _SCORES, grad=False)
case("NonMaxSuppressionV2", lambda tf, b, s: raw(tf, "NonMaxSuppressionV2", boxes=b, scores=s, max_output_size=3, iou_threshold=0.5), _BOXES, _SCORES, grad=False)
case("SampleDistortedBoundingBox", lambda tf, b: raw(tf, "SampleDistortedBoundingBox", image_size=[40, 50, 3], bounding_boxes=b, seed=3, seed2=4), const([[[0.1, 0.2, 0.8, 0.9]]]), grad=False, modes=EAGER)
case("ImageProjectiveTransformV2", lambda tf, x: raw(tf, "ImageProjectiveTransformV2", images=x, transforms=[[1.0, 0.1, 0.5, 0.0, 1.0, -0.3, 0.0, 0.0]], output_shape=[3, 4], interpolation="BILINEAR"), probability(1, 3, 4, 2))
case("ExtractGlimpse", lambda tf, x: raw(tf, "ExtractGlimpse", input=x, size=[2, 2], offsets=[[0.0, 0.0]], uniform_noise=False, noise="zero"), probability(1, 4, 4, 1), grad=False)

# --- neural networks
case("InTopK", lambda tf, x: raw(tf, "InTopK", predictions=x, targets=[1, 2], k=2), normal(2, 4), grad=False)
case("NthElement", lambda tf, x: raw(tf, "NthElement", input=x, n=2), normal(3, 5), dtypes=FLOATS)
case("NthElement reverse", lambda tf, x: raw(tf, "NthElement", input=x, n=1, reverse=True), normal(2, 3, 4))
case("FusedPadConv2D", lambda tf, x, w: raw(tf, "FusedPadConv2D", input=x, paddings=[[0, 0], [1, 1], [2, 0], [0, 0]], filter=w, mode="REFLECT", strides=[1, 1, 1, 1], padding="VALID"), normal(1, 4, 4, 2), normal(2, 2, 2, 3), grad=False)
case("FusedResizeAndPadConv2D", lambda tf, x, w: raw(tf, "FusedResizeAndPadConv2D", input=x, size=[5, 6], paddings=[[0, 0], [1, 1], [0, 0], [0, 0]], filter=w, mode="SYMMETRIC", strides=[1, 1, 1, 1], padding="SAME"), normal(1, 3, 4, 2), normal(2, 2, 2, 3), grad=False)

# --- segments
for _name in ("Sum", "Mean", "SqrtN"):
    case(f"SparseSegment{_name}Grad", lambda tf, g, _n=_name: raw(tf, f"SparseSegment{_n}Grad", grad=g, indices=[2, 0, 2], segment_ids=[0, 0, 1], output_dim0=4), normal(2, 3), grad=False)
    case(f"SparseSegment{_name}GradV2", lambda tf, g, _n=_name: raw(tf, f"SparseSegment{_n}GradV2", grad=g, indices=[2, 0, 2], segment_ids=[0, 0, 1], dense_output_dim0=4), normal(2, 3), grad=False)


# --- generators
def _drawn(op, **arguments):
    def expression(tf):
        state = tf.Variable([3, 5, 7], dtype=tf.int64)
        operands = {"resource": state.handle, "shape": [2, 3], **{k: v(tf) if callable(v) else v for k, v in arguments.items()}}
        first = raw(tf, op, **operands)
        return [first, raw(tf, op, **operands), state.read_value()]

    return expression


for _op in ("StatefulUniform", "StatefulStandardNormalV2", "StatefulTruncatedNormal"):
    case(_op, _drawn(_op, algorithm=lambda tf: tf.constant(1, tf.int64)), modes=EAGER, grad=False)
case("StatefulStandardNormal", _drawn("StatefulStandardNormal"), modes=EAGER, grad=False, reference=_drawn("StatefulStandardNormalV2", algorithm=lambda tf: tf.constant(1, tf.int64)))
case("StatefulUniformFullInt", _drawn("StatefulUniformFullInt", algorithm=lambda tf: tf.constant(1, tf.int64), dtype=lambda tf: tf.uint64), modes=EAGER, grad=False)
case("StatefulUniformInt", _drawn("StatefulUniformInt", algorithm=lambda tf: tf.constant(1, tf.int64), minval=lambda tf: tf.constant(-4, tf.int64), maxval=lambda tf: tf.constant(90, tf.int64)), modes=EAGER, grad=False)


# --- lists and maps
def _list(tf, x):
    return raw(tf, "TensorListFromTensor", tensor=x, element_shape=[3])


case("TensorListConcat", lambda tf, x: raw(tf, "TensorListConcat", input_handle=_list(tf, x), element_dtype=x.dtype, element_shape=[3]), normal(2, 3), grad=False, modes=EAGER)
case("TensorListConcatLists", lambda tf, x: raw(tf, "TensorListStack", input_handle=raw(tf, "TensorListConcatLists", input_a=_list(tf, x), input_b=_list(tf, x), element_dtype=x.dtype), element_shape=[3], element_dtype=x.dtype), normal(2, 3), grad=False, modes=EAGER)
case("TensorListScatter", lambda tf, x: raw(tf, "TensorListStack", input_handle=raw(tf, "TensorListScatter", tensor=x, indices=[1, 0], element_shape=[3]), element_shape=[3], element_dtype=x.dtype), normal(2, 3), grad=False, modes=EAGER)
case("TensorListPushBackBatch", lambda tf, x: [raw(tf, "TensorListStack", input_handle=one, element_shape=[3], element_dtype=x.dtype) for one in tf.unstack(
    raw(tf, "TensorListPushBackBatch", input_handles=tf.stack([_list(tf, x), _list(tf, x[:1])]), tensor=x))], normal(2, 3), grad=False, modes=EAGER)


# --- the debugger's watches
case("DebugIdentity", lambda tf, x: [raw(tf, "DebugIdentity", input=x, tensor_name="x"), raw(tf, "DebugIdentityV3", input=x, tensor_name="x:1")], normal(2, 3), grad=False, modes=EAGER, covers=("DebugIdentityV3",))
case("DebugNumericSummary", lambda tf, x: [raw(tf, "DebugNumericSummary", input=x / [1.0, 0.0, 1.0], tensor_name="x"), raw(tf, "DebugNumericSummary", input=x, tensor_name="x", lower_bound=-0.2, upper_bound=0.5), raw(tf, "DebugNanCount", input=0.0 * x / [1.0, 0.0, 1.0], tensor_name="x")],
     normal(2, 3), grad=False, modes=EAGER, covers=("DebugNanCount",))


def _map(tf, x, y):
    empty = raw(tf, "EmptyTensorMap")
    one = raw(tf, "TensorMapInsert", input_handle=empty, key=tf.constant(1.0), value=x)
    return raw(tf, "TensorMapInsert", input_handle=one, key=tf.constant(2.0), value=y)


def _lookup(tf, handle, key):
    return raw(tf, "TensorMapLookup", input_handle=handle, key=tf.constant(key), value_dtype=tf.float32)


_PAIR = normal(2), normal(3)
case("TensorMapLookup", lambda tf, x, y: [_lookup(tf, _map(tf, x, y), 1.0), _lookup(tf, _map(tf, x, y), 2.0)], *_PAIR, modes=EAGER, covers=("EmptyTensorMap", "TensorMapInsert", "Reflow>TensorMapTake"))
case("TensorMapErase", lambda tf, x, y: _lookup(tf, raw(tf, "TensorMapErase", input_handle=_map(tf, x, y), key=tf.constant(2.0), value_dtype=tf.float32), 1.0), *_PAIR, modes=EAGER, grad=False)
case("TensorMapHasKey", lambda tf, x, y: [raw(tf, "TensorMapHasKey", input_handle=_map(tf, x, y), key=tf.constant(k)) for k in (1.0, 3.0)], *_PAIR, grad=False, modes=EAGER)
case("TensorMapSize", lambda tf, x, y: raw(tf, "TensorMapSize", input_handle=_map(tf, x, y)), *_PAIR, grad=False, modes=EAGER)
case("TensorMapStackKeys", lambda tf, x, y: tf.sort(raw(tf, "TensorMapStackKeys", input_handle=_map(tf, x, y), key_dtype=tf.float32)), *_PAIR, grad=False, modes=EAGER)

# --- recurrent networks
_LSTM = normal(2, 3), normal(2, 4), normal(2, 4), normal(7, 16), normal(4), normal(4), normal(4), normal(16)
_CELL = ["x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"]
for _peephole in (False, True):
    case(f"LSTMBlockCell {_peephole}", lambda tf, *v, _p=_peephole: raw(tf, "LSTMBlockCell", **dict(zip(_CELL, v)), use_peephole=_p, cell_clip=0.7), *_LSTM, grad=False)
    for _op in ("BlockLSTM", "BlockLSTMV2"):
        case(f"{_op} {_peephole}", lambda tf, x, *v, _o=_op, _p=_peephole: raw(tf, _o, seq_len_max=tf.constant(2, tf.int64), **dict(zip(_CELL, (x, *v))), use_peephole=_p, cell_clip=0.0)[6], normal(3, 2, 3), *_LSTM[1:], grad=False)
case("GRUBlockCell", lambda tf, x, h, w, v, b, c: raw(tf, "GRUBlockCell", x=x, h_prev=h, w_ru=w, w_c=v, b_ru=b, b_c=c), normal(2, 3), normal(2, 4), normal(7, 8), normal(7, 4), normal(8), normal(4), grad=False)



def _states(tf, op, **arguments):
    return dict(zip(("i", "cs", "f", "o", "ci", "co", "h"), raw(tf, op, **arguments, forget_bias=1.0, cell_clip=-1.0) if op != "BlockLSTMV2" else raw(tf, op, **arguments, cell_clip=-1.0)))


def _block_grad(tf, op, peephole, steps, x, *v):
    arguments = dict(zip(_CELL, (x, *v)), use_peephole=peephole)
    forward, sized = op.replace("Grad", ""), dict(seq_len_max=tf.constant(steps, tf.int64)) if steps else {}
    found = _states(tf, forward, **arguments, **sized)
    h = found["h"] if steps else found.pop("h")
    return raw(tf, op, **arguments, **sized, **found, cs_grad=h * 2.0, h_grad=tf.sin(h))


for _peephole in (False, True):
    case(f"LSTMBlockCellGrad {_peephole}", lambda tf, *v, _p=_peephole: _block_grad(tf, "LSTMBlockCellGrad", _p, 0, *v), *_LSTM, grad=False)
    for _op in ("BlockLSTMGrad", "BlockLSTMGradV2"):
        case(f"{_op} {_peephole}", lambda tf, *v, _o=_op, _p=_peephole: _block_grad(tf, _o, _p, 3, *v), normal(3, 2, 3), *_LSTM[1:], grad=False)


def _gru_grad(tf, *v):
    arguments = dict(zip(("x", "h_prev", "w_ru", "w_c", "b_ru", "b_c"), v))
    r, u, c, h = raw(tf, "GRUBlockCell", **arguments)
    return raw(tf, "GRUBlockCellGrad", **arguments, r=r, u=u, c=c, d_h=tf.sin(h))


case("GRUBlockCellGrad", _gru_grad, normal(2, 3), normal(2, 4), normal(7, 8), normal(7, 4), normal(8), normal(4), grad=False)

# --- rows, sounds, candidates
case("NearestNeighbors", lambda tf, x, c: raw(tf, "NearestNeighbors", points=x, centers=c, k=tf.constant(2, tf.int64)), normal(4, 3), normal(5, 3), grad=False)
case("SparseMatMul", lambda tf, a, b: raw(tf, "SparseMatMul", a=a, b=b, transpose_a=True), normal(3, 2), normal(3, 4), grad=False)
case("AudioSpectrogram", lambda tf, x: raw(tf, "AudioSpectrogram", input=x, window_size=6, stride=3), normal(20, 2), grad=False)
case("AudioSpectrogram squared", lambda tf, x: raw(tf, "AudioSpectrogram", input=x, window_size=8, stride=5, magnitude_squared=True), normal(20, 1), grad=False)
case("ThreadUnsafeUnigramCandidateSampler", lambda tf: raw(tf, "ThreadUnsafeUnigramCandidateSampler", true_classes=tf.constant([[1], [3]], tf.int64), num_true=1, num_sampled=3, unique=True, range_max=6, seed=3, seed2=5), grad=False, modes=EAGER)
case("ResourceGatherNd", lambda tf, x: raw(tf, "ResourceGatherNd", resource=tf.Variable(x).handle, indices=[[1, 0], [0, 2]], dtype=x.dtype), normal(2, 3), grad=False, modes=EAGER)

# --- by number of axes; TensorFlow has no kernel of the transforms on a CPU
case("Conv", lambda tf, x, w: raw(tf, "Conv", input=x, filter=w, strides=[1, 2, 1, 1], padding="SAME"), normal(2, 5, 4, 3), normal(2, 3, 3, 2), grad=False)
case("Conv 3d", lambda tf, x, w: raw(tf, "Conv", input=x, filter=w, strides=[1, 1, 1, 1, 1], padding="VALID"), normal(1, 3, 4, 3, 2), normal(2, 2, 2, 2, 3), grad=False)
case("Conv batch", lambda tf, x, w: raw(tf, "Conv", input=x, filter=w, strides=[1, 1, 1, 1], padding="VALID", batch_dims=2), normal(2, 2, 4, 3, 2), normal(2, 2, 2, 3), grad=False)
case("FFTND", lambda tf, x: raw(tf, "FFTND", input=x, fft_length=[4, 3], axes=[0, 2]), normal(4, 2, 3), dtypes=("complex64", "complex128"), modes=("eager", "compiled"), reference=lambda tf, x: tf.transpose(tf.signal.fft2d(tf.transpose(x, [1, 0, 2])), [1, 0, 2]), grad=False)
case("IFFTND", lambda tf, x: raw(tf, "IFFTND", input=x, fft_length=[4, 3], axes=[0, 2]), normal(4, 2, 3), dtypes=("complex64", "complex128"), modes=("eager", "compiled"), reference=lambda tf, x: tf.transpose(tf.signal.ifft2d(tf.transpose(x, [1, 0, 2])), [1, 0, 2]), grad=False)
case("RFFTND", lambda tf, x: raw(tf, "RFFTND", input=x, fft_length=[3, 4], axes=[0, 2]), normal(4, 2, 3), modes=("eager", "compiled"), reference=lambda tf, x: tf.transpose(tf.signal.rfft2d(tf.transpose(x, [1, 0, 2]), [3, 4]), [1, 0, 2]))
case("IRFFTND", lambda tf, x: raw(tf, "IRFFTND", input=x, fft_length=[3, 4], axes=[0, 2]), normal(3, 2, 3), dtypes=("complex64",), modes=("eager", "compiled"), reference=lambda tf, x: tf.transpose(tf.signal.irfft2d(tf.transpose(x, [1, 0, 2]), [3, 4]), [1, 0, 2]), grad=False)
case("ApproxTopK", lambda tf, x: raw(tf, "ApproxTopK", input=x, k=2), normal(3, 5), grad=False)
case("ApproxTopK least", lambda tf, x: raw(tf, "ApproxTopK", input=x, k=2, reduction_dimension=0, is_max_k=False), normal(4, 3), grad=False, reference=lambda tf, x: (lambda found: [-tf.transpose(found[0]), tf.transpose(found[1])])(tf.math.top_k(-tf.transpose(x), 2)))
for _padding in ("VALID", "SAME"):
    case(f"ExtractVolumePatches {_padding}", lambda tf, x, _p=_padding: raw(tf, "ExtractVolumePatches", input=x, ksizes=[1, 2, 3, 2, 1], strides=[1, 1, 2, 2, 1], padding=_p), normal(1, 4, 5, 3, 2))
case("Mfcc", lambda tf, x: raw(tf, "Mfcc", spectrogram=x * x, sample_rate=8000), normal(2, 3, 129), grad=False)
case("Mfcc narrow", lambda tf, x: raw(tf, "Mfcc", spectrogram=x * x, sample_rate=16000, upper_frequency_limit=3000.0, lower_frequency_limit=300.0, filterbank_channel_count=20, dct_coefficient_count=10), normal(1, 2, 65), grad=False)

# --- functions, and looking at a program
def _concrete(tf, function, *specs):  # run once each: a function is compiled at its second run (see test_function_ops.py)
    return tf.function(function).get_concrete_function(*specs)


case("For", lambda tf, x: raw(tf, "For", start=1, limit=3, delta=2, input=[x, x], body=_concrete(tf, lambda i, x, y: [x * 2.0, y + tf.cast(i, tf.float32)], tf.TensorSpec([], tf.int32), tf.TensorSpec([2]), tf.TensorSpec([2]))), normal(2), modes=EAGER, grad=False)
case("MapDefun", lambda tf, x, c: raw(tf, "MapDefun", arguments=[x], captured_inputs=[c], output_types=[tf.float32, tf.float32], output_shapes=[[2], []], f=_concrete(tf, lambda x, c: (x * c, tf.reduce_sum(x)), tf.TensorSpec([2]), tf.TensorSpec([]))), normal(1, 2), normal(), modes=EAGER, grad=False)
case("RemoteCall", lambda tf, x: raw(tf, "RemoteCall", target="/job:localhost/replica:0/task:0/device:CPU:0", args=[x], Tout=[tf.float32, tf.float32], f=_concrete(tf, lambda x: (x * 2.0, x + 1.0), tf.TensorSpec([2]))), normal(2), modes=EAGER, grad=False)
for _mode in (2, 3, 4, 5, 8):
    case(f"DebugNumericSummaryV2 {_mode}", lambda tf, x, _m=_mode: raw(tf, "DebugNumericSummaryV2", input=x, tensor_debug_mode=_m, tensor_id=7, output_dtype=tf.float64), nonfinite(2, 4), dtypes=("float32", "float64"), grad=False)
    case(f"DebugNumericSummaryV2 {_mode} ints", lambda tf, x, _m=_mode: raw(tf, "DebugNumericSummaryV2", input=x, tensor_debug_mode=_m, tensor_id=7), ints(-2, 3, 1, 2, 1, 3, 1, 2, 2), grad=False, modes=EAGER)
case("Print", lambda tf, x: raw(tf, "Print", input=x, data=[x, 2 * x], message="shown: ", first_n=1), normal(3))
case("Fact", lambda tf, x: tf.strings.join([x, raw(tf, "Fact")]), const([b"known: "], "string"), grad=False, modes=EAGER)
case("SparseCrossHashed", lambda tf, x: raw(tf, "SparseCrossHashed", indices=[tf.constant([[0, 0], [1, 0], [1, 1]], tf.int64)], values=[tf.constant(["a", "b", "c"])], shapes=[tf.constant([2, 2], tf.int64)], dense_inputs=[x], num_buckets=tf.constant(1000, tf.int64), strong_hash=False, salt=tf.constant([1, 2], tf.int64)), ints(0, 9, 2, 1, dtype="int64"), grad=False, modes=EAGER)
case("SparseCrossHashed strong", lambda tf, x: raw(tf, "SparseCrossHashed", indices=[tf.constant([[0, 0], [1, 0], [1, 1]], tf.int64)], values=[tf.constant(["a", "b", "c"])], shapes=[tf.constant([2, 2], tf.int64)], dense_inputs=[], num_buckets=x, strong_hash=True, salt=tf.constant([1, 2], tf.int64)), const(1000, "int64"), grad=False, modes=EAGER)
case("SyncDevice", lambda tf, x: [x * 2.0, raw(tf, "SyncDevice")][:1], normal(2), grad=False, modes=EAGER)


def _within(tf, samples, low, high):
    """Whether samples lie between bounds, and whether their mean does what it should."""
    return [tf.reduce_all((samples >= low) & (samples <= high)), tf.abs(tf.reduce_mean(samples) - (low + high) / 2.0) < 0.05, tf.shape(samples)]


case("ParameterizedTruncatedNormal", lambda tf, m: _within(tf, raw(tf, "ParameterizedTruncatedNormal", shape=[2, 4000], means=m, stdevs=1.0, minvals=-0.5, maxvals=0.5, seed=1, seed2=2), -0.5, 0.5), const([0.0, 0.0]), modes=EAGER, grad=False)
case("StatelessParameterizedTruncatedNormal", lambda tf, m: _within(tf, raw(tf, "StatelessParameterizedTruncatedNormal", shape=[4000, 2], seed=[1, 2], means=m, stddevs=1.0, minvals=2.0, maxvals=2.5), 2.0, 2.5), const([2.2, 2.3]), modes=EAGER, grad=False)
case("DisableCopyOnRead", lambda tf, x: (lambda v: [v.read_value(), raw(tf, "DisableCopyOnRead", resource=v.handle)][:1])(tf.Variable(x)), normal(2), modes=EAGER, grad=False)
for _count, _retries in ((1, 0), (5, 0), (4, 2), (6, -1)):
    case(f"KmeansPlusPlusInitialization {_count} {_retries}", lambda tf, x, _n=_count, _r=_retries: raw(tf, "KmeansPlusPlusInitialization", points=x, num_to_sample=tf.constant(_n, tf.int64), seed=tf.constant(7, tf.int64), num_retries_per_sample=tf.constant(_r, tf.int64)), normal(20, 3), modes=EAGER, grad=False)
for _seed in (5, 6, 2**40):
    case(f"KMC2ChainInitialization {_seed}", lambda tf, x, _s=_seed: raw(tf, "KMC2ChainInitialization", distances=x, seed=tf.constant(_s, tf.int64)), positive(12), modes=EAGER, grad=False)
