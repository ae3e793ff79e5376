"""Boosted trees against trees grown with NumPy, one layer at a time; what they explain, and what they refuse."""

import numpy as np
import pytest

import reflow as tf
from reflow.estimator.trees import growth
from reflow.estimator.trees.ensemble import Ensemble, node_count, walk
from reflow.estimator.trees.features import bucketized

random = np.random.RandomState(0)
X = random.uniform(-1, 1, 24).astype("float32")
COLOR = random.choice(["red", "green", "blue"], 24)
Y = (np.sin(3 * X) + (COLOR == "red") + 0.1 * random.normal(size=24)).astype("float32")
COLUMNS = [
    tf.feature_column.bucketized_column(tf.feature_column.numeric_column("x"), [-0.5, 0.0, 0.5]),
    tf.feature_column.categorical_column_with_vocabulary_list("color", ["red", "green", "blue"]),
]
# columns stand in the order of their names
NAMES = ["color_indicator:red", "color_indicator:green", "color_indicator:blue", "x_bucketized"]


def inputs(labels, batch=24, epochs=None):
    return lambda: tf.data.Dataset.from_tensor_slices(({"x": X, "color": COLOR}, labels)).batch(batch).repeat(epochs)


def buckets():
    colors = [(COLOR == name).astype(int) for name in ("red", "green", "blue")]
    return np.stack([*colors, np.searchsorted([-0.5, 0.0, 0.5], X, side="right")], 1)


def leaf(g, h, l1, l2):
    g = np.sign(g) * max(abs(g) - l1, 0.0)
    return (0.0, 0.0) if h + l2 < 1e-15 else (-g / (h + l2), g * g / (h + l2))


def grown(derivatives, trees, depth, rate, l1=0.0, l2=0.0, complexity=0.0, prune=False):
    """The logits of the examples, and the splits (feature, gain), of trees whose layers follow the gradients one after
    the other."""
    ids, logits, splits = buckets(), np.zeros(24), []
    for _ in range(trees):
        nodes = [np.ones(24, bool)]
        for _ in range(depth):
            g, h = derivatives(logits)
            children = []
            for node in nodes:
                best = None
                for f in range(4):
                    for b in range(4):
                        sides = [node & (ids[:, f] <= b), node & (ids[:, f] > b)]
                        values = [leaf(g[s].sum(), h[s].sum(), l1, l2) for s in sides]
                        gain = values[0][1] + values[1][1] - leaf(g[node].sum(), h[node].sum(), l1, l2)[1] - complexity
                        if best is None or gain > best[0] + 1e-9:
                            best = gain, f, sides, values
                gain, f, sides, values = best
                if prune and gain < 0 or not node.any():
                    continue
                splits.append((NAMES[f], gain))
                for side, (value, _) in zip(sides, values, strict=True):
                    logits = logits + side * rate * value
                    children.append(side)
            nodes = children
    return logits, splits


def squares(logits):
    return 2 * (logits - Y) / 24, np.full(24, 2 / 24)


def logistic(logits):
    chance = 1 / (1 + np.exp(-logits))
    return (chance - (Y > 0.5)) / 24, chance * (1 - chance) / 24


def test_a_regressor_grows_the_trees_of_numpy(tmp_path):
    logits, splits = grown(squares, 3, 2, 0.3, l1=0.02, l2=0.05)
    options = {"n_trees": 3, "max_depth": 2, "learning_rate": 0.3, "l1_regularization": 0.02, "l2_regularization": 0.05}
    estimator = tf.estimator.BoostedTreesRegressor(COLUMNS, 2, str(tmp_path), **options)
    # two batches per layer; interrupted after the fourth, whose layer is done
    estimator.train(inputs(Y, 12), steps=4)
    tf.estimator.BoostedTreesRegressor(COLUMNS, 2, str(tmp_path), **options).train(inputs(Y, 12))
    assert estimator.get_variable_value("global_step") == 12  # it stops by itself
    got = [float(one["predictions"][0]) for one in estimator.predict(inputs(Y, epochs=1))]
    np.testing.assert_allclose(got, logits, rtol=1e-4, atol=1e-5)
    assert estimator.evaluate(inputs(Y, epochs=1))["loss"] == pytest.approx(np.mean((logits - Y) ** 2), rel=1e-4)
    importances = estimator.experimental_feature_importances()
    want = {name: sum(gain for n, gain in splits if n == name) for name in {n for n, _ in splits}}
    assert importances == pytest.approx(want, rel=1e-3, abs=1e-5)
    assert list(importances.values()) == sorted(importances.values(), reverse=True)
    assert sum(estimator.experimental_feature_importances(normalize=True).values()) == pytest.approx(1.0)


def test_a_classifier_explains_itself_and_is_exported(tmp_path):
    labels = (Y > 0.5).astype("int32")
    logits, _ = grown(logistic, 2, 2, 0.5, complexity=0.004, prune=True)
    estimator = tf.estimator.BoostedTreesClassifier(
        COLUMNS, 1, str(tmp_path), n_trees=2, max_depth=2, learning_rate=0.5, tree_complexity=0.004, pruning_mode="pre",
        train_in_memory=True,
    ).train(inputs(labels))
    explained = list(estimator.experimental_predict_with_explanations(inputs(labels, epochs=1), ["logits"]))
    np.testing.assert_allclose([one["logits"][0] for one in explained], logits, rtol=1e-4, atol=1e-5)
    sums = [one["bias"] + sum(one["dfc"].values()) for one in explained]
    np.testing.assert_allclose(sums, 1 / (1 + np.exp(-logits)), rtol=1e-4)
    assert set(explained[0]) == {"logits", "bias", "dfc"} and explained[0]["bias"] == 0.5

    spec = tf.feature_column.make_parse_example_spec(COLUMNS)
    folder = estimator.export_saved_model(
        str(tmp_path / "out"), tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
    )
    example = tf.train.Example()
    example.features.feature["x"].float_list.value.append(X[0])
    example.features.feature["color"].bytes_list.value.append(COLOR[0].encode())
    loaded = tf.saved_model.load(folder.decode()).signatures["predict"]
    got = loaded(examples=tf.constant([example.SerializeToString()]))
    np.testing.assert_allclose(got["logits"], [[logits[0]]], rtol=1e-4)


def trained(settings, derivatives, batches, logits=1, ids=None):
    """The state after batches (index arrays), in eager code: of the numbers X, or of buckets that are given."""
    nodes, width = node_count(settings.max_depth), 2 ** (settings.max_depth - 1)
    features, quantiles = (1, settings.quantiles) if ids is None else (ids.shape[1], 4)
    zero, sums = tf.constant(0), tf.zeros([width, features, quantiles, logits])
    rows = tf.zeros([settings.n_trees, nodes])
    empty = Ensemble(
        tf.cast(rows, tf.int32) - 1, tf.cast(rows, tf.int32), rows, rows[..., None] + tf.zeros([logits]),
        tf.zeros([logits]), zero, zero, zero,
    )  # fmt: skip
    points = tf.zeros([1, growth.sketch_points(settings.quantiles)])
    phase = tf.constant(growth.SKETCH if ids is None else growth.GROW)
    state = growth.State(empty, tf.zeros([1, settings.quantiles]) + np.inf, phase, sums, sums, points, points, zero)
    for batch in batches:
        numbers = None if ids is not None else tf.constant(X[batch])[:, None]
        buckets = bucketized(numbers, state.boundaries, [] if ids is None else [tf.constant(ids[batch], tf.int32)])
        way = walk(state.ensemble, buckets, settings.max_depth)
        node = way.nodes[-1][:, int(growth.current_tree(state.ensemble, settings))]
        g, h = derivatives(way.logits.numpy(), batch)
        state = growth.stepped(
            state, growth.Batch(numbers, buckets, node, tf.constant(g, tf.float32), tf.constant(h, tf.float32)),
            settings,
        )
    return state


def predicted(state, settings):
    return walk(
        state.ensemble, bucketized(tf.constant(X)[:, None], state.boundaries, []), settings.max_depth
    ).logits.numpy()


def options(**changed):
    plain = growth.Settings(
        1, 1, 1.0, 0.0, 0.0, 0.0, 0.0, center_bias=False, pruning_mode="none", batches_per_layer=1, quantiles=101
    )
    return plain._replace(**changed)


def column_squares(logits, batch):
    return 2 * (logits - Y[batch, None]) / len(batch), np.full_like(logits, 2 / len(batch))


ALL, HALVES = np.arange(24), [np.arange(12), np.arange(12, 24)]


def test_quantiles_and_bias():
    """The first batches of a layer give the quantiles of numbers; with a centred bias the first step is the mean."""
    settings = options(center_bias=True, batches_per_layer=2)
    state = trained(settings, column_squares, HALVES * 2)
    np.testing.assert_allclose(state.ensemble.bias, [Y.mean()], rtol=1e-5)
    assert set(state.boundaries[0].numpy()) == set(X)
    state = trained(settings, column_squares, HALVES * 4)
    order = np.argsort(X)
    sides = [(Y[order[:n]], Y[order[n:]]) for n in range(1, 24)]
    left, right = min(sides, key=lambda pair: sum(((part - part.mean()) ** 2).sum() for part in pair))
    want = [*[left.mean()] * len(left), *[right.mean()] * len(right)]
    np.testing.assert_allclose(predicted(state, settings)[order, 0], want, rtol=1e-4, atol=1e-5)
    assert int(state.ensemble.tree) == 1  # and a batch more changes nothing
    more = trained(settings, column_squares, HALVES * 5)
    np.testing.assert_array_equal(more.ensemble.value, state.ensemble.value)


def test_three_classes():
    thirds = np.eye(3)[np.digitize(X, [-0.3, 0.3])]

    def softmax(logits, batch):
        chances = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
        return (chances - thirds[batch]) / 24, chances * (1 - chances) / 24

    settings = options(n_trees=3, max_depth=2, learning_rate=0.5)
    logits = predicted(trained(settings, softmax, [ALL] * 7, 3), settings)
    assert (logits.argmax(-1) == thirds.argmax(-1)).all()


def test_pruning_after_growth_and_heavy_nodes():
    cut = trained(
        options(max_depth=3, tree_complexity=0.05, pruning_mode="post"), column_squares, [ALL] * 3, ids=buckets()
    ).ensemble
    feature, gain = cut.feature.numpy()[0], cut.gain.numpy()[0]
    ends = [n for n in range(7) if feature[n] >= 0 and feature[2 * n + 1] < 0 and feature[2 * n + 2] < 0]
    assert ends and all(gain[n] >= 0 for n in ends) and any(gain[n] < 0 and feature[n] < 0 for n in range(7))
    # half of the examples weigh 1
    heavy = trained(options(max_depth=3, min_node_weight=1.01), column_squares, [ALL] * 3, ids=buckets()).ensemble
    assert (heavy.feature.numpy() == -1).all() and int(heavy.attempts) == 3 and int(heavy.tree) == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_batches_per_layer": 0}, "n_batches_per_layer must be at least 1"),
        ({"n_batches_per_layer": 2, "train_in_memory": True}, "as a single batch"),
        ({"max_depth": 40}, "max_depth must be at most 16"),
        ({"learning_rate": 0.0}, "learning_rate must be positive"),
        ({"pruning_mode": "late"}, "pruning_mode must be one of"),
        ({"pruning_mode": "post"}, "tree_complexity must be positive"),
        ({"quantile_sketch_epsilon": 0.0}, "quantile_sketch_epsilon must be between"),
        (
            {"feature_columns": [tf.feature_column.embedding_column(COLUMNS[1], 2)]},
            "only bucketized_column, indicator_column",
        ),
    ],
)
def test_refusals(options, words):
    with pytest.raises(ValueError, match=words):
        tf.estimator.BoostedTreesClassifier(**{"feature_columns": COLUMNS, "n_batches_per_layer": 1, **options})
