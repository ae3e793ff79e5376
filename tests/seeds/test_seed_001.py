"""Seed 001: the handbook's chapter on common modules.

Its longer programs stand in files that the document includes but does not contain; it gives their outputs and says what
they do. They are written here after that description. What seeds 002 and 003 print in full is tested there, and
`tf.function` in `test_seed_001_functions.py`.
"""

import os

import numpy as np
import pytest

from tests.seeds.seed_programs import run  # noqa: F401 - a fixture

import tensorflow as tf  # isort: skip

DATASET = """
import tensorflow as tf
import numpy as np

X = tf.constant([2013, 2014, 2015, 2016, 2017])
Y = tf.constant([12000, 14000, 15000, 16500, 17500])

# 也可以使用NumPy数组，效果相同
# X = np.array([2013, 2014, 2015, 2016, 2017])
# Y = np.array([12000, 14000, 15000, 16500, 17500])

dataset = tf.data.Dataset.from_tensor_slices((X, Y))

for x, y in dataset:
    print(x.numpy(), y.numpy())
"""


def test_from_tensor_slices(run):  # noqa: F811
    assert run(DATASET).output == "2013 12000\n2014 14000\n2015 15000\n2016 16500\n2017 17500\n"


@pytest.fixture
def digits():
    """The document's MNIST data set, with fewer digits."""
    from reflow.datasets import mnist_small

    (images, labels), _ = mnist_small()
    images = np.expand_dims(images[:200].astype(np.float32) / 255.0, axis=-1)
    return images, labels[:200], tf.data.Dataset.from_tensor_slices((images, labels[:200]))


def test_shuffle_then_batch(digits):
    _, labels, dataset = digits
    runs = [np.concatenate([y.numpy() for _, y in dataset.shuffle(buffer_size=10000).batch(4)]) for _ in range(2)]
    assert not np.array_equal(*runs) and all(sorted(r) == sorted(labels) for r in runs)  # each run in its own order
    unshuffled = np.concatenate([y.numpy() for _, y in dataset.shuffle(buffer_size=1).batch(4)])
    np.testing.assert_array_equal(unshuffled, labels)  # a buffer of one shuffles nothing


def test_repeat_reduce_take(digits):
    _, labels, dataset = digits
    ys = dataset.map(lambda image, label: tf.cast(label, tf.int64))
    assert int(ys.reduce(tf.constant(0, tf.int64), lambda a, b: a + b)) == labels.sum()
    assert len(list(ys.take(3).repeat(2))) == 6


def test_fit_on_a_dataset(digits):
    _, _, dataset = digits
    model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(10, activation="softmax")])
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    batches = dataset.batch(20).prefetch(buffer_size=tf.data.experimental.AUTOTUNE)
    history = model.fit(batches, epochs=2, verbose=0, shuffle=False).history
    assert history["loss"][1] < history["loss"][0]
    assert len(model.evaluate(batches, verbose=0)) == 2


def test_checkpoint_numbers(run):  # noqa: F811
    program = """
v = tf.Variable([1.0, 2.0])
checkpoint = tf.train.Checkpoint(myAwesomeVariable=v)
for _ in range(10):
    checkpoint.save('./save/model.ckpt')
latest = tf.train.latest_checkpoint('./save')
"""
    got = run(program, tf=tf)
    assert got.latest == "./save/model.ckpt-10"
    assert {"checkpoint", "model.ckpt-10.index", "model.ckpt-10.data-00000-of-00001"} <= set(os.listdir("save"))


def test_features():
    """`tf.train.Feature` holds bytes, floats or integers."""
    example = tf.train.Example(features=tf.train.Features(feature={
        "text": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a", b"b"])),
        "numbers": tf.train.Feature(float_list=tf.train.FloatList(value=[1.5, 2.5])),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[7])),
    }))
    got = tf.io.parse_single_example(example.SerializeToString(), {
        "text": tf.io.FixedLenFeature([2], tf.string), "numbers": tf.io.VarLenFeature(tf.float32),
        "label": tf.io.FixedLenFeature([], tf.int64), "missing": tf.io.FixedLenFeature([], tf.int64, default_value=-1),
    })
    assert (
        got["text"].numpy().tolist() == [b"a", b"b"]
        and tf.sparse.to_dense(got["numbers"]).numpy().tolist() == [1.5, 2.5]
    )
    assert (int(got["label"]), int(got["missing"])) == (7, -1)


def test_tensor_array_example(run):  # noqa: F811
    program = """
import tensorflow as tf

@tf.function
def array_write_and_read():
    arr = tf.TensorArray(dtype=tf.float32, size=3)
    arr = arr.write(0, tf.constant(0.0))
    arr = arr.write(1, tf.constant(1.0))
    arr = arr.write(2, tf.constant(2.0))
    arr_0 = arr.read(0)
    arr_1 = arr.read(1)
    arr_2 = arr.read(2)
    return arr_0, arr_1, arr_2

a, b, c = array_write_and_read()
print(a, b, c)
"""
    assert run(program).output == ("tf.Tensor(0.0, shape=(), dtype=float32) tf.Tensor(1.0, shape=(), dtype=float32) "
                                   "tf.Tensor(2.0, shape=(), dtype=float32)\n")


def test_experimental_device_names():
    gpus = tf.config.experimental.list_physical_devices(device_type="GPU")
    cpus = tf.config.experimental.list_physical_devices(device_type="CPU")
    assert repr(cpus) == "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]"
    for name in ("set_visible_devices", "set_memory_growth", "set_virtual_device_configuration",
                 "VirtualDeviceConfiguration"):
        assert callable(getattr(tf.config.experimental, name))
    assert isinstance(gpus, list)
