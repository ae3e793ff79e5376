"""Seed 002: notes on TensorFlow 2 (models, Checkpoint, TensorBoard, tf.data, TFRecord, tf.function,
devices, SavedModel)."""

import os

import numpy as np
import pytest

from tests.seeds.seed_programs import run  # noqa: F401 - a fixture

import tensorflow as tf  # isort: skip

# --- models and training


def test_arguments(run):  # noqa: F811
    got = run("002_arguments", arguments=["--mode", "test"])
    assert (got.args.mode, got.args.batch_size, got.args.learning_rate) == ("test", 32, 0.0001)


def test_model_and_tape(run):  # noqa: F811
    setup = """
loss_obj = tf.keras.losses.SparseCategoricalCrossentropy()
optimizer = tf.keras.optimizers.SGD()
images, labels = tf.random.uniform([2, 8, 8, 1]), tf.zeros([2, 6, 6], tf.int32)
model = MyModel()
"""
    got = run("002_model_class", setup, "002_tape", tf=tf)
    assert got.predictions.shape == (2, 6, 6, 4) and len(got.gradients) == 2
    assert all(float(tf.reduce_max(tf.abs(g))) > 0 for g in got.gradients)


def test_layer_class(run):  # noqa: F811
    got = run("002_layer_class", after="layer = MyLayer()\ny = layer(tf.ones([2, 3]))", tf=tf)
    assert [v.name for v in got.layer.weights] == ["v0", "v1"] and got.y.shape == (2, 3)


def test_loss_class(run):  # noqa: F811
    got = run("002_loss_class", after="loss = MeanSquaredError()(tf.zeros([2, 2]), 3 * tf.ones([2, 2]))", tf=tf)
    assert float(got.loss) == 9.0


def test_metric_class(run):  # noqa: F811
    after = (
        "m = SparseCategoricalAccuracy()\nm.update_state(tf.constant([1, 0]), tf.constant([[0.2, 0.8], [0.1, 0.9]]))"
    )
    assert float(run("002_metric_class", after=after, tf=tf).m.result()) == 0.5


def test_applications():
    model = tf.keras.applications.MobileNetV2(input_shape=(32, 32, 3), weights=None, classes=5, include_top=True)
    assert model(tf.zeros([1, 32, 32, 3])).shape == (1, 5)


# --- checkpoints

MODEL = """
class myModel(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(2)
    def call(self, x):
        return self.dense(x)
"""


def test_restore(run):  # noqa: F811
    before = MODEL + """
model = myModel()
first = model(x).numpy()
checkpoint = tf.train.Checkpoint(myModel=model)
saved = [checkpoint.save('./save/model.ckpt') for _ in range(3)]
"""
    x = tf.ones([1, 3])
    got = run("002_restore", before=before, tf=tf, x=x, save_path_with_prefix_and_index="./save/model.ckpt-1")
    assert got.saved == [f"./save/model.ckpt-{i}" for i in (1, 2, 3)]
    assert {"checkpoint", "model.ckpt-1.index", "model.ckpt-1.data-00000-of-00001"} <= set(os.listdir("save"))
    np.testing.assert_array_equal(got.model_to_be_restored(x).numpy(), got.first)  # restored when it is built
    latest = run("002_restore_latest", before=MODEL, tf=tf)
    np.testing.assert_array_equal(latest.model(x).numpy(), got.first)


def test_manager(run):  # noqa: F811
    after = "paths = [manager.save(checkpoint_number=10 * i) for i in range(1, 5)]"
    got = run("002_manager", before=MODEL + "model = myModel(); model(tf.ones([1, 3]))", after=after, tf=tf, k=2)
    assert got.paths[-1] == "./save/model.ckpt-40"
    assert sorted(f for f in os.listdir("save") if f.endswith(".index")) == [
        "model.ckpt-30.index", "model.ckpt-40.index"
    ]


# --- TensorBoard


def events(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    found = EventAccumulator(folder, size_guidance={"tensors": 0})
    found.Reload()
    return {tag: [(e.step, e.tensor_proto) for e in found.Tensors(tag)] for tag in found.Tags()["tensors"]}


def test_summaries(run):  # noqa: F811
    run("002_summaries", tf=tf, num_batches=3, loss=tf.constant(0.5), my_scalar=2)
    found = events("tensorboard_files")
    assert [step for step, _ in found["loss"]] == [0, 1, 2] and len(found["MyScalar"]) == 3
    assert tf.make_ndarray(found["loss"][0][1]) == np.float32(0.5)


def test_audio_summary(run):  # noqa: F811
    """Two sounds of three, as WAV files; the numbers come back from the event file."""
    sounds = tf.constant(np.sin(np.arange(3 * 100 * 2).reshape(3, 100, 2) / 7.0), tf.float32)
    with tf.summary.create_file_writer("logs").as_default():
        tf.summary.audio("beep", sounds, sample_rate=8000, step=4, max_outputs=2)
    ((step, proto),) = events("logs")["beep"]
    table = tf.make_ndarray(proto)
    assert step == 4 and table.shape == (2, 2) and table[0, 1] == b""
    back, rate = tf.audio.decode_wav(table[1, 0])
    assert rate.numpy() == 8000
    np.testing.assert_allclose(back.numpy(), sounds[1].numpy(), atol=1e-4)
    with pytest.raises(ValueError, match="mp3"):
        tf.summary.audio("beep", sounds, 8000, step=4, encoding="mp3")


def test_trace(run):  # noqa: F811
    before = "summary_writer = tf.summary.create_file_writer(log_dir)"
    replace = {"进行训练\n": "", "'''\n'''": "'''train'''\nstep(tf.ones([2]))"}
    step = tf.function(lambda x: x * 2)
    run("002_trace", before=before, replace=replace, tf=tf, log_dir="logs", step=step)
    found = events("logs")
    assert [step for step, _ in found["model_trace"]] == [0]
    assert any(f.endswith(".xplane.pb") for _, _, files in os.walk("logs/plugins/profile") for f in files)


# --- tf.data


@pytest.fixture
def mnist(monkeypatch):
    from reflow.datasets import mnist_small

    monkeypatch.setattr(tf.keras.datasets.mnist, "load_data", mnist_small)


def test_mnist_dataset(run, mnist):  # noqa: F811
    names = {"tf": tf, "np": np, "num_epoch": 1, "train_step": lambda images, labels: seen.append((images, labels))}
    seen: list = []
    got = run("002_mnist_dataset", "002_rot90", after="mnist_dataset = mnist_dataset.take(8)", **names)
    again = run("002_batches", mnist_dataset=got.mnist_dataset, **names)
    images, labels = seen[0]
    assert images.shape == (4, 28, 28, 1) and labels.shape == (4,) and len(seen) == 2
    np.testing.assert_array_equal(images[0].numpy(), np.rot90(got.train_data[0]))
    parallel = run(before="mnist_dataset = mnist_dataset.map(map_func=rot90, num_parallel_calls=4)\n"
                          "mnist_dataset = mnist_dataset.prefetch(buffer_size=tf.data.experimental.AUTOTUNE)",
                   mnist_dataset=again.mnist_dataset, rot90=got.rot90, tf=tf).mnist_dataset
    np.testing.assert_array_equal(next(iter(parallel))[0][0].numpy(), np.rot90(got.train_data[0], 2))


def test_iterator(run):  # noqa: F811
    got = run("002_iterator", tf=tf, A=[1, 2], B=[3.0, 4.0], C=["a", "b"])
    assert [t.numpy() for t in (got.a0, got.b0, got.c0, got.a1, got.b1, got.c1)] == [1, 3.0, b"a", 2, 4.0, b"b"]


@pytest.fixture
def cats_vs_dogs(tmp_path):
    """Twelve small JPEG files in the folders that the program expects."""
    for part in ("train", "valid"):
        for kind, level in (("cats", 40), ("dogs", 200)):
            (tmp_path / "data" / part / kind).mkdir(parents=True)
            for i in range(3):
                pixels = np.full((20 + i, 30, 3), level, np.uint8)
                (tmp_path / "data" / part / kind / f"{i}.jpg").write_bytes(tf.io.encode_jpeg(pixels).numpy())


DATA = {"C:/datasets/cats_vs_dogs": "data"}


def test_cats_vs_dogs(run, cats_vs_dogs):  # noqa: F811
    layers = ("model = tf.keras.Sequential([tf.keras.layers.Conv2D(4, 3, activation='relu', input_shape=(32, 32, 3)), "
              "tf.keras.layers.GlobalAveragePooling2D(), tf.keras.layers.Dense(2, 'softmax')])")
    replace = {
        **DATA, "num_epochs = 10": "num_epochs = 1", "[256, 256]": "[32, 32]", "batch_size = 32": "batch_size = 4",
        "    model = tf.keras.Sequential()": f"    {layers}",
    }
    got = run("002_cats_vs_dogs", replace=replace)
    assert "2/2" in got.output
    images, labels = next(iter(got.train_dataset))
    assert images.shape == (4, 32, 32, 3) and images.dtype == tf.float32
    for image, label in zip(images.numpy(), labels.numpy(), strict=True):
        np.testing.assert_allclose(image, [40, 200][label] / 255, atol=0.01)


def test_tfrecord(run, cats_vs_dogs):  # noqa: F811
    got = run("002_tfrecord_names", "002_tfrecord_write", "002_tfrecord_read", replace=DATA)
    pairs = [(image.numpy(), int(label)) for image, label in got.dataset]
    assert [label for _, label in pairs] == [0, 0, 0, 1, 1, 1]
    assert all(abs(int(image.mean()) - [40, 200][label]) < 3 for image, label in pairs)


# --- tf.function


def test_train_step(run, capfd):  # noqa: F811
    before = (
        "import tensorflow as tf\nfrom zh.model.utils import MNISTLoader\nfrom zh.model.mnist.mlp import MLP as CNN"
    )
    run("002_train_step", before=before, replace={"num_batches = 1000": "num_batches = 30"})
    losses = [float(line.split()[1]) for line in capfd.readouterr().err.splitlines() if line.startswith("loss ")]
    assert len(losses) == 30 and np.mean(losses[-5:]) < np.mean(losses[:5])


def test_demo_module(run, capfd):  # noqa: F811
    after = "demo = DemoModule(init_value=tf.constant(1.0))\nresult = demo.addprint(tf.constant(5.0))"
    got = run("002_demo_module", after=after, tf=tf)
    assert float(got.result) == 6.0 and capfd.readouterr().err == "6\n"
    assert [v.name for v in got.demo.variables] == ["demo_module/Variable:0"]
    assert got.demo.submodules == () and len(got.demo.trainable_variables) == 1
    with pytest.raises(TypeError):
        got.demo.addprint(tf.constant([1, 2]))


def _printed(run, capfd, block, **names):  # noqa: F811
    """The lines of Python's `print` and of `tf.print`, each in order."""
    got = run(block, tf=tf, **names)
    return got.lines, capfd.readouterr().err.splitlines()


RUNNING = "The function is running in Python"


def test_quiz_tensors(run, capfd):  # noqa: F811
    assert _printed(run, capfd, "002_quiz_tensors", np=np) == ([RUNNING] * 2, ["1", "2", "2", "0.1", "0.2"])


def test_quiz_numbers(run, capfd):  # noqa: F811
    assert _printed(run, capfd, "002_quiz_numbers") == ([RUNNING] * 4, ["1", "2", "1", "0.1", "0.2", "0.1"])


def test_to_code(run):  # noqa: F811
    got = run("002_to_code", tf=tf)
    assert got.output.startswith("def tf__square_if_positive(x):") and "ag__.if_stmt(" in got.output
    assert [int(got.square_if_positive(tf.constant(v))) for v in (3, -3)] == [9, 0]


def test_tensor_array():
    @tf.function
    def three():
        arr = tf.TensorArray(dtype=tf.float32, size=3)
        for i in range(3):
            arr = arr.write(i, tf.cast(i, tf.float32))
        return arr.read(0), arr.stack()

    first, stacked = three()
    assert float(first) == 0.0 and stacked.numpy().tolist() == [0.0, 1.0, 2.0]
    grown = tf.TensorArray(tf.int32, 0, dynamic_size=True).unstack([1, 2]).write(2, 3)
    assert grown.stack().numpy().tolist() == [1, 2, 3]


# --- SavedModel and strategies


def test_saved_model(run):  # noqa: F811
    before = """
class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(2)
    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def call(self, x):
        return self.dense(x)
model = Model()
expected = model(x)
tf.saved_model.save(model, 'folder')
model = tf.saved_model.load('folder')
"""
    x = tf.ones([2, 3])
    got = run(before=before, tf=tf, x=x)
    np.testing.assert_allclose(got.model.call(x).numpy(), got.expected.numpy(), rtol=1e-6)


def test_mirrored(run):  # noqa: F811
    replace = {"model_creation()": "tf.keras.Sequential([tf.keras.layers.Dense(1)])",
               "model.compile()": "model.compile('sgd', 'mse')", "model.fit()": "history = model.fit(x, y, verbose=0)"}
    got = run("002_mirrored", replace=replace, tf=tf, x=np.ones((8, 2), "float32"), y=np.ones((8, 1), "float32"))
    assert len(got.history.history["loss"]) == 1
