"""Estimators against values worked out by hand with NumPy, their folders, and what they refuse."""

import os

import numpy as np
import pytest

import reflow as tf

v1 = tf.compat.v1
X = np.linspace(-1.0, 1.0, 20).astype("float32")
Y = 3.0 * X + 1.0


def inputs(epochs=1):
    return lambda: tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat(epochs).batch(20)


def by_hand(steps, rate=0.1, start=(0.0, 0.0)):
    """Weight, bias and the loss before each step, of gradient descent on the mean of squares."""
    (w, b), losses = start, []
    for _ in range(steps):
        error = w * X + b - Y
        losses.append(np.mean(error**2))
        w, b = w - rate * np.mean(2 * error * X), b - rate * np.mean(2 * error)
    return w, b, losses


def model_fn(features, labels, mode, params):
    w, b = v1.get_variable("w", initializer=0.0), v1.get_variable("b", initializer=0.0)
    predictions = {"y": w * features["x"] + b, "x": features["x"]}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions)
    loss = tf.reduce_mean((predictions["y"] - labels) ** 2)
    train = v1.train.GradientDescentOptimizer(params["rate"]).minimize(loss, v1.train.get_global_step())
    metrics = {"error": v1.metrics.mean_absolute_error(labels, predictions["y"])}
    return tf.estimator.EstimatorSpec(mode, predictions, loss, train, metrics)


def custom(folder, **options):
    return tf.estimator.Estimator(model_fn, str(folder), params={"rate": 0.1}, **options)


def test_a_model_function_trains_stops_and_goes_on(tmp_path):
    assert custom(tmp_path).train(inputs(9), steps=3).latest_checkpoint().endswith("model.ckpt-3")
    again = custom(tmp_path).train(inputs(9), max_steps=7)  # another object: all it knows is in the folder
    w, b, losses = by_hand(7)
    np.testing.assert_allclose([again.get_variable_value("w"), again.get_variable_value("b")], [w, b], rtol=1e-5)
    assert again.get_variable_names() == ["b", "global_step", "w"]
    result = again.evaluate(inputs())
    error = w * X + b - Y
    np.testing.assert_allclose(
        [result["loss"], result["error"]], [np.mean(error**2), np.mean(np.abs(error))], rtol=1e-5
    )
    assert result["global_step"] == 7
    got = list(again.predict(inputs(), predict_keys=["y"]))
    assert [list(one) for one in got] == [["y"]] * 20
    np.testing.assert_allclose([one["y"] for one in got], w * X + b, rtol=1e-5, atol=1e-6)
    assert next(again.predict(inputs(), yield_single_examples=False))["x"].shape == (20,)
    assert {"checkpoint", "graph.pbtxt", "model.ckpt-7.index", "model.ckpt-7.meta"} <= set(os.listdir(tmp_path))
    tags = [
        (v.tag, event.step)
        for file in sorted(os.listdir(tmp_path / "eval"))
        for event in v1.train.summary_iterator(str(tmp_path / "eval" / file))
        for v in event.summary.value
    ]
    assert ("error", 7) in tags and ("loss", 7) in tags


def test_checkpoints_and_listeners(tmp_path):
    steps = []

    class Listener(tf.estimator.CheckpointSaverListener):
        def after_save(self, session, global_step_value):
            steps.append(int(global_step_value))

    config = tf.estimator.RunConfig(str(tmp_path), save_checkpoints_steps=2, keep_checkpoint_max=2)
    tf.estimator.Estimator(
        model_fn, config=config, params={"rate": 0.1}
    ).train(inputs(5), saving_listeners=[Listener()])
    assert steps == [0, 2, 4, 5]
    assert sorted(f for f in os.listdir(tmp_path) if f.endswith("index")) == [
        "model.ckpt-4.index", "model.ckpt-5.index"
    ]


def test_train_and_evaluate(tmp_path):
    class Note(tf.estimator.Exporter):
        name, seen = "note", []

        def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
            self.seen.append(
                (os.path.relpath(export_path, tmp_path), int(eval_result["global_step"]), is_the_final_export)
            )
            return b"there"

    config = tf.estimator.RunConfig(str(tmp_path), save_checkpoints_steps=2)
    estimator = tf.estimator.Estimator(model_fn, config=config, params={"rate": 0.1})
    train = tf.estimator.TrainSpec(inputs(9), max_steps=4)
    result, exported = tf.estimator.train_and_evaluate(
        estimator, train, tf.estimator.EvalSpec(inputs(), steps=None, exporters=Note(), throttle_secs=0)
    )
    assert result["global_step"] == 4 and exported == [b"there"]
    assert Note.seen == [("export/note", 2, False), ("export/note", 4, False), ("export/note", 4, True)]


def test_warm_start(tmp_path):
    first = custom(tmp_path / "a").train(inputs(2))
    settings = tf.estimator.WarmStartSettings(str(tmp_path / "a"), vars_to_warm_start="w")
    second = custom(tmp_path / "b", warm_start_from=settings).train(inputs(1))
    w, b, _ = by_hand(1, start=(float(first.get_variable_value("w")), 0.0))
    np.testing.assert_allclose([second.get_variable_value("w"), second.get_variable_value("b")], [w, b], rtol=1e-5)


def test_warm_start_with_another_vocabulary(tmp_path):
    for name, words in (("old", "a b c"), ("new", "c d a")):
        (tmp_path / name).write_text(words.replace(" ", "\n") + "\n")
    with tf.Graph().as_default(), v1.Session() as session:
        for axis in (0, 1):
            v1.get_variable(
                f"words{axis}", initializer=np.moveaxis(np.arange(6, dtype=np.float32).reshape(3, 2), 0, axis)
            )
        session.run(v1.global_variables_initializer())
        path = v1.train.Saver().save(session, str(tmp_path / "model"))
    for axis in (0, 1):
        info = v1.train.VocabInfo(
            str(tmp_path / "new"), 3, 1, str(tmp_path / "old"), backup_initializer=tf.ones_initializer(), axis=axis
        )
        with tf.Graph().as_default(), v1.Session() as session:
            v = v1.get_variable("mine", [4, 2] if axis == 0 else [2, 4])
            v1.train.warm_start(path, None, {"mine": info}, {"mine": f"words{axis}"})
            session.run(v1.global_variables_initializer())
            assert np.moveaxis(session.run(v), axis, 0).tolist() == [[4.0, 5.0], [1.0, 1.0], [0.0, 1.0], [1.0, 1.0]]
            with pytest.raises(ValueError, match="that were not used: {'other'}"):
                v1.train.warm_start(path, None, var_name_to_prev_var_name={"other": "mine"})


def test_a_linear_regressor_by_hand(tmp_path):
    """Version 1 adds the losses of a batch up, version 2 takes their mean."""
    column = [tf.feature_column.numeric_column("x")]
    new = tf.estimator.LinearRegressor(
        column, str(tmp_path / "2"), optimizer=lambda: v1.train.GradientDescentOptimizer(0.1)
    )
    old = v1.estimator.LinearRegressor(
        column, str(tmp_path / "1"), optimizer=v1.train.GradientDescentOptimizer(0.1 / 20)
    )
    w, b, losses = by_hand(5)
    for estimator, size in ((new, 1), (old, 20)):
        estimator.train(inputs(5))
        np.testing.assert_allclose(estimator.get_variable_value("linear/linear_model/x/weights"), [[w]], rtol=1e-5)
        np.testing.assert_allclose(estimator.get_variable_value("linear/linear_model/bias_weights"), [b], rtol=1e-5)
        result = estimator.evaluate(inputs())
        np.testing.assert_allclose(result["loss"], size * np.mean((w * X + b - Y) ** 2), rtol=1e-4)
        np.testing.assert_allclose(result["average_loss"] * size, result["loss"], rtol=1e-5)
        assert set(result) == {"average_loss", "label/mean", "loss", "prediction/mean", "global_step"}


def test_classifiers(tmp_path):
    x = tf.feature_column.numeric_column("x")
    names = np.array(["no", "yes"])[(X > 0).astype(int)]

    def data():
        return tf.data.Dataset.from_tensor_slices(({"x": X}, names)).repeat(40).batch(10)

    linear = tf.estimator.LinearClassifier([x], str(tmp_path / "linear"), label_vocabulary=["no", "yes"])
    result = linear.train(data).evaluate(data, steps=2)
    assert result["accuracy"] > 0.9 and result["accuracy_baseline"] == 0.5 and result["auc"] > 0.95
    one = next(linear.predict(data))
    assert one["classes"].tolist() == [b"no"] and one["all_classes"].tolist() == [b"no", b"yes"]
    np.testing.assert_allclose(one["probabilities"].sum(), 1.0, rtol=1e-6)
    deep = tf.estimator.DNNClassifier(
        [4], [x], str(tmp_path / "deep"), 3, label_vocabulary=["no", "yes", "perhaps"],
        optimizer=tf.keras.optimizers.Adam(0.05), config=tf.estimator.RunConfig(tf_random_seed=3),
    )  # fmt: skip
    assert deep.train(data).evaluate(data, steps=2)["accuracy"] > 0.8
    options = {"batch_norm": True, "dropout": 0.1, "config": tf.estimator.RunConfig(tf_random_seed=3)}
    more = tf.estimator.DNNRegressor([4], [x], str(tmp_path / "more"), **options)
    moving = [name for name in more.train(inputs(2)).get_variable_names() if "moving" in name]
    assert moving == [f"dnn/hiddenlayer_0/batchnorm_0/moving_{what}" for what in ("mean", "variance")]
    both = tf.estimator.DNNLinearCombinedClassifier(
        str(tmp_path / "both"), [x], dnn_feature_columns=[x], dnn_hidden_units=[3]
    )
    assert (
        both.train(
            lambda: ({"x": tf.constant(X)}, tf.constant((X > 0).astype(int))), steps=2
        ).get_variable_value("global_step")
        == 2
    )
    base = tf.estimator.BaselineClassifier(str(tmp_path / "base"), label_vocabulary=["no", "yes"])
    assert abs(base.train(data).evaluate(data, steps=2)["prediction/mean"] - 0.5) < 0.05


def test_numpy_input_fn(tmp_path):
    feed = v1.estimator.inputs.numpy_input_fn({"x": X}, Y, batch_size=20, num_epochs=3, shuffle=True)
    estimator = custom(tmp_path).train(feed)
    np.testing.assert_allclose(estimator.get_variable_value("w"), by_hand(3)[0], rtol=1e-5)
    with pytest.raises(ValueError, match="shuffle must be provided"):
        v1.estimator.inputs.numpy_input_fn({"x": X}, Y)
    with pytest.raises(ValueError, match="Length of tensors in x and y is mismatched"), tf.Graph().as_default():
        v1.estimator.inputs.numpy_input_fn({"x": X}, Y[:3], shuffle=False)()


def test_refusals(tmp_path):
    with pytest.raises(ValueError, match="Missing train_op"):
        tf.estimator.EstimatorSpec("train", loss=tf.constant(1.0))
    with pytest.raises(ValueError, match="Missing predictions"):
        tf.estimator.EstimatorSpec("infer")
    with pytest.raises(ValueError, match="model_fn should return an EstimatorSpec"):
        tf.estimator.Estimator(lambda features, labels: None, str(tmp_path)).train(inputs())
    with pytest.raises(ValueError, match="does not include params argument"):
        tf.estimator.Estimator(lambda features: None, str(tmp_path), params={"a": 1})
    with pytest.raises(ValueError, match="Can not provide both steps and max_steps"):
        custom(tmp_path).train(inputs(), steps=1, max_steps=2)
    with pytest.raises(ValueError, match="Could not find trained model in model_dir"):
        custom(tmp_path).get_variable_names()
    with pytest.raises(ValueError, match="cannot be both set"):
        tf.estimator.RunConfig(save_checkpoints_steps=1, save_checkpoints_secs=1)
    with pytest.raises(ValueError, match="Expected to run at least one output"):
        next(custom(tmp_path / "new").predict(inputs(), predict_keys="z"))
    with pytest.raises(tf.errors.NotFoundError):  # a folder of another model
        custom(tmp_path / "m").train(inputs(), steps=1)
        tf.estimator.BaselineRegressor(str(tmp_path / "m")).train(inputs(), steps=1)


def test_an_exported_model_answers_requests(tmp_path):
    x = tf.feature_column.numeric_column("x")
    estimator = tf.estimator.LinearRegressor(
        [x], str(tmp_path / "m"), optimizer=lambda: v1.train.GradientDescentOptimizer(0.1)
    )
    estimator.train(inputs(5))
    spec = tf.feature_column.make_parse_example_spec([x])
    receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
    (tmp_path / "note.txt").write_text("hello")
    extra = {"more/note.txt": str(tmp_path / "note.txt")}
    path = estimator.export_saved_model(str(tmp_path / "out"), receiver, assets_extra=extra).decode()
    assert (
        os.path.basename(path).isdigit()
        and (tmp_path / "out" / os.path.basename(path) / "assets.extra/more/note.txt").exists()
    )
    loaded = tf.saved_model.load(path)
    assert sorted(loaded.signatures) == ["predict", "regression", "serving_default"]
    example = tf.train.Example()
    example.features.feature["x"].float_list.value.append(0.5)
    request = tf.constant([example.SerializeToString()])
    w, b, _ = by_hand(5)
    np.testing.assert_allclose(
        loaded.signatures["predict"](examples=request)["predictions"], [[w * 0.5 + b]], rtol=1e-5
    )


def test_best_exporter(tmp_path):
    x = tf.feature_column.numeric_column("x")
    config = tf.estimator.RunConfig(str(tmp_path), save_checkpoints_steps=2)
    estimator = tf.estimator.LinearRegressor(
        [x], optimizer=lambda: v1.train.GradientDescentOptimizer(0.1), config=config
    )
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn({"x": tf.zeros([1])})
    exporters = [
        tf.estimator.BestExporter(
            serving_input_receiver_fn=receiver, event_file_pattern="eval/*.tfevents.*", exports_to_keep=1
        ),
        tf.estimator.FinalExporter("final", receiver),
    ]
    spec = tf.estimator.EvalSpec(inputs(), steps=None, exporters=exporters, throttle_secs=0)
    _, exported = tf.estimator.train_and_evaluate(estimator, tf.estimator.TrainSpec(inputs(9), max_steps=4), spec)
    assert exported[0] is None and len(os.listdir(tmp_path / "export" / "best_exporter")) == 1
    answer = tf.saved_model.load(exported[1].decode()).signatures["predict"](x=tf.constant([0.5]))
    w, b, _ = by_hand(4)
    np.testing.assert_allclose(answer["predictions"], [[w * 0.5 + b]], rtol=1e-5)


@pytest.mark.parametrize(
    ("shape", "name", "error", "words"),
    [
        ([], "other", tf.errors.NotFoundError, "Key other not found in checkpoint"),
        ([2], "w", tf.errors.InvalidArgumentError, "shape"),
    ],
)
def test_a_folder_of_another_model(tmp_path, shape, name, error, words):
    custom(tmp_path).train(inputs(1))

    def another(features, labels, mode):
        v = v1.get_variable(name, shape)
        loss = tf.reduce_mean((tf.reduce_sum(v) - labels) ** 2)
        return tf.estimator.EstimatorSpec(
            mode, v, loss, v1.train.GradientDescentOptimizer(0.1).minimize(loss, v1.train.get_global_step())
        )

    with pytest.raises(error, match=words):
        tf.estimator.Estimator(another, str(tmp_path)).train(inputs(1))
