"""cuDNN's recurrent networks.

TensorFlow has no kernel of them on a CPU: it runs the same network written with plain ops.
"""

from tests.ops.inputs import normal
from tests.ops.table import case, raw

_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


def _step(tf, mode, a, b, h, c):
    """New h and c from what a cell gets of its input (a) and of its state (b)."""
    if mode == "lstm":
        i, f, g, o = tf.split(a + b, 4, 1)
        c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
        return tf.sigmoid(o) * tf.tanh(c), c
    if mode == "gru":
        a, b = tf.split(a, 3, 1), tf.split(b, 3, 1)
        r, z = tf.sigmoid(a[0] + b[0]), tf.sigmoid(a[1] + b[1])
        return (1 - z) * tf.tanh(a[2] + r * b[2]) + z * h, c
    return (tf.nn.relu if mode == "rnn_relu" else tf.tanh)(a + b), c


def _plain(tf, x, h, c, params, mode="lstm", ways=1, lengths=None, projected=0, skip=False):
    """The network on (times, rows, columns), by loops in Python: (outputs, h, c)."""
    cells, units = h.shape[0], c.shape[2]
    width = projected or units
    at, taken, weights, ends_h, ends_c = 0, [], [], [], []

    def take(*shape):
        nonlocal at
        size = 1
        for n in shape:
            size *= n
        at += size
        return tf.reshape(params[at - size : at], shape)

    for cell in range(cells):
        columns = (0 if skip else x.shape[2]) if cell < ways else ways * width
        gates = _GATES[mode] * units
        parts = take(gates, columns), take(gates, width)
        weights.append((*parts, take(projected, units) if projected else None))
    biases = [(take(_GATES[mode] * units), take(_GATES[mode] * units)) for _ in range(cells)]
    steps = tf.unstack(x)
    for cell in range(cells):
        (w, r, p), (wb, rb), now_h, now_c = weights[cell], biases[cell], h[cell], c[cell]
        found = {}
        for t in reversed(range(len(steps))) if cell % ways else range(len(steps)):
            a = (
                tf.concat([steps[t]] * _GATES[mode], 1) if skip and cell < ways
                else tf.matmul(steps[t], w, transpose_b=True)
            )
            new_h, new_c = _step(tf, mode, a + wb, tf.matmul(now_h, r, transpose_b=True) + rb, now_h, now_c)
            new_h = new_h if p is None else tf.matmul(new_h, p, transpose_b=True)
            inside = tf.fill([x.shape[1], 1], True) if lengths is None else (t < lengths)[:, None]
            found[t] = tf.where(inside, new_h, tf.zeros_like(new_h))
            now_h, now_c = tf.where(inside, new_h, now_h), tf.where(inside, new_c, now_c)
        taken.append([found[t] for t in range(len(steps))])
        ends_h.append(now_h)
        ends_c.append(now_c)
        if cell % ways == ways - 1:
            steps = [tf.concat(parts, 1) for parts in zip(*taken)]
            taken = []
    return tf.stack(steps), tf.stack(ends_h), tf.stack(ends_c)


def _size(mode, columns, units, layers=1, ways=1, projected=0, skip=False):
    gates, width, total = _GATES[mode], projected or units, 0
    for layer in range(layers):
        inner = (0 if skip else columns) if not layer else ways * width
        total += ways * (gates * units * (inner + width + 2) + projected * units)
    return total


def _add(label, mode, layers=1, ways=1, version="", columns=3, units=2, lengths=None, batch_major=False, skip=False,
         projected=0):
    """The case of one network: `ways` directions, weights for `columns` of input and `units` of state."""
    cells = layers * ways
    attrs = dict(rnn_mode=mode, direction="bidirectional" if ways == 2 else "unidirectional")
    attrs["input_mode"] = "skip_input" if skip else "linear_input"
    plain = dict(mode=mode, ways=ways, lengths=lengths, projected=projected, skip=skip)
    if version == "V3":
        attrs |= dict(sequence_lengths=lengths or [4, 4], time_major=not batch_major, num_proj=projected)
    turn = (lambda tf, t: tf.transpose(t, [1, 0, 2])) if batch_major else (lambda tf, t: t)

    def states(tf, rest):
        h, *rest = rest
        return (h, *rest) if mode == "lstm" else (h, tf.zeros_like(h), *rest)

    def ours(tf, x, *rest):
        h, c, p = states(tf, rest)
        out = raw(tf, "CudnnRNN" + version, input=x, input_h=h, input_c=c, params=p, **attrs)
        return list(out[: 3 if mode == "lstm" else 2])

    def reference(tf, x, *rest):
        h, c, p = states(tf, rest)
        lengths = None if plain["lengths"] is None else tf.constant(plain["lengths"])
        out = _plain(tf, turn(tf, x), turn(tf, h), turn(tf, c), p, **{**plain, "lengths": lengths})
        return [turn(tf, t) for t in out][: 3 if mode == "lstm" else 2]

    def shaped(first, second, last):
        return normal(second, first, last) if batch_major else normal(first, second, last)

    h, c = shaped(cells, 2, projected or units), shaped(cells, 2, units)
    params = normal(_size(mode, columns, units, layers, ways, projected, skip))
    inputs = (shaped(4, 2, columns), h, c, params) if mode == "lstm" else (shaped(4, 2, columns), h, params)
    case(f"CudnnRNN{version} {label}", ours, *inputs, reference=reference, covers=(f"CudnnRNNBackprop{version}",))


for _mode in _GATES:
    _add(_mode, _mode)
_add("deep", "lstm", layers=2, ways=2)
_add("deep gru", "gru", layers=2, version="V2")
_add("skip", "gru", columns=2, skip=True, version="V2")
_add("lengths", "lstm", ways=2, version="V3", lengths=[3, 1])
_add("batch major", "gru", ways=2, version="V3", lengths=[2, 4], batch_major=True)
_add("projected", "lstm", layers=2, version="V3", units=3, projected=2)

# --- parameters: two layers of two units on three columns

_SIZES = dict(num_layers=2, num_units=2, input_size=3)
#: its shapes are known to the reference and not to the op
_UNTRACED = ("eager", "compiled")
_WEIGHTS = ([(2, 3)] * 3 + [(2, 2)] * 3) + [(2, 2)] * 6


def _parts(tf, params):
    """The matrices and biases of a GRU, in their order."""
    sizes = [rows * columns for rows, columns in _WEIGHTS] + [2] * 12
    parts = tf.split(params, sizes)
    return [tf.reshape(part, shape) for part, shape in zip(parts, _WEIGHTS)] + parts[len(_WEIGHTS):]


case(
    "CudnnRNNParamsSize",
    lambda tf, x: x + raw(tf, "CudnnRNNParamsSize", T=tf.float32, S=tf.int32, direction="bidirectional", **_SIZES),
    normal(1), dtypes=("int32",), grad=False, reference=lambda tf, x: x + _size("lstm", 3, 2, layers=2, ways=2),
)
for _version in ("", "V2"):
    _counts = dict(num_params_weights=12, num_params_biases=12) if _version else dict(num_params=12)
    case(f"CudnnRNNParamsToCanonical{_version}", lambda tf, x, _v=_version, _c=_counts: raw(
        tf, f"CudnnRNNParamsToCanonical{_v}", params=x, rnn_mode="gru", **_SIZES, **_c),
        normal(78), grad=False, modes=_UNTRACED, reference=_parts)
    case(
        f"CudnnRNNCanonicalToParams{_version}",
        lambda tf, x, _v=_version: raw(
            tf, f"CudnnRNNCanonicalToParams{_v}", weights=_parts(tf, x)[:12], biases=_parts(tf, x)[12:], rnn_mode="gru",
            **_SIZES,
        ),
        normal(78), grad=False, modes=_UNTRACED,
        reference=lambda tf, x: tf.concat([tf.reshape(part, [-1]) for part in _parts(tf, x)], 0),
    )
