"""TensorFlow Hub and KerasTuner from their packages, which `make venv` installs without TensorFlow.

`make circle` runs more of them.
"""

import importlib.util

import pytest

from tests.drop_in.processes import check

needs_hub = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow_hub") is None, reason="tensorflow_hub is not installed: `make venv`"
)
needs_tuner = pytest.mark.skipif(
    importlib.util.find_spec("keras_tuner") is None, reason="keras_tuner is not installed: `make venv`"
)

MODELS = """
import tensorflow as tf
import tensorflow_hub as hub

scale = tf.Variable(2.0)
doubler = tf.train.Checkpoint(scale=scale)
doubler.__call__ = tf.function(lambda x: x * scale, input_signature=[tf.TensorSpec([None, 2])])
doubler.variables = doubler.trainable_variables = [scale]  # Hub's interface

class Lengths(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def __call__(self, texts):
        return tf.cast(tf.strings.length(texts), tf.float32)[:, None]

tf.saved_model.save(doubler, "numbers")
tf.saved_model.save(Lengths(), "text")
"""


@needs_hub
def test_folders_as_objects_and_layers(tmp_path):
    out = check(
        MODELS
        + """
import numpy as np

print(hub.load("numbers")(tf.ones([1, 2])).numpy().tolist())
layer = hub.KerasLayer("numbers", trainable=True, input_shape=(2,))
model = tf.keras.Sequential([layer, tf.keras.layers.Dense(1, kernel_initializer="ones")])
model.compile("sgd", "mse")
before = model.predict(np.ones([1, 2], "float32"), verbose=0).tolist()
model.fit(np.ones([8, 2], "float32"), np.zeros([8, 1], "float32"), epochs=2, verbose=0)
print(before, len(model.trainable_weights), bool(layer.resolved_object.scale < 2.0))
words = tf.keras.Sequential([hub.KerasLayer("text", input_shape=[], dtype=tf.string)])
print(words.predict(tf.constant(["a", "abc"]), verbose=0).tolist())
again = hub.KerasLayer.from_config(layer.get_config())
print(again(tf.ones([1, 2])).numpy().tolist())
""",
        cwd=tmp_path,
    )
    assert out.splitlines() == ["[[2.0, 2.0]]", "[[4.0]] 3 True", "[[1.0], [3.0]]", "[[2.0, 2.0]]"]


@needs_hub
def test_archives_are_fetched_once(tmp_path):
    out = check(
        MODELS
        + """
import functools, http.server, os, tarfile, threading

class Handler(http.server.SimpleHTTPRequestHandler):
    asked = []

    def do_GET(self):
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, *words):
        pass

with tarfile.open("numbers.tar.gz", "w:gz") as archive:
    archive.add("numbers", ".")
os.environ["TFHUB_CACHE_DIR"] = "cache"
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
handle = f"http://127.0.0.1:{server.server_port}/numbers.tar.gz"
print([hub.load(handle)(tf.ones([1, 2])).numpy().tolist() for _ in range(2)], len(Handler.asked))
server.shutdown()
server.server_close()
try:
    hub.load("http://127.0.0.1:1/nowhere.tar.gz")
except OSError as error:
    print(type(error).__name__)
try:
    hub.load("nowhere")
except OSError as error:
    print(error)
""",
        cwd=tmp_path,
    )
    assert out.splitlines() == ["[[[2.0, 2.0]], [[2.0, 2.0]]] 1", "URLError", "nowhere does not exist."]


@needs_tuner
def test_searches_and_goes_on(tmp_path):
    out = check(
        """
import keras_tuner, numpy as np, tensorflow as tf

def build(hp):
    model = tf.keras.Sequential([tf.keras.layers.Dense(hp.Int("units", 1, 4)), tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.Adam(hp.Choice("rate", [0.1, 0.01])), "mse")
    return model

x = np.linspace(0, 1, 16, dtype="float32")[:, None]
for kind, limits in {"RandomSearch": {"max_trials": 2}, "Hyperband": {"max_epochs": 2, "factor": 2}}.items():
    counts = []
    for again in range(2):  # the second finds the trials of the first, and none is left to do
        make = getattr(keras_tuner, kind)
        tuner = make(build, objective="val_loss", directory=".", project_name=kind, seed=1, **limits)
        counts.append(len(tuner.oracle.trials))
        tuner.search(x, 2 * x, validation_data=(x, 2 * x), epochs=1, verbose=0)
        counts.append(len(tuner.oracle.trials))
    best = tuner.get_best_models(1)[0].predict(x, verbose=0)
    print(kind, counts, best.shape, "units" in tuner.get_best_hyperparameters()[0].values)
""",
        cwd=tmp_path,
    )
    assert "RandomSearch [0, 2, 2, 2] (16, 1) True" in out
    hyperband = next(line for line in out.splitlines() if line.startswith("Hyperband"))
    assert hyperband.endswith("(16, 1) True") and hyperband.startswith("Hyperband [0, ")
    first, *later = hyperband.split("[0, ")[1].split("]")[0].split(", ")
    assert int(first) > 1 and later == [first, first]
