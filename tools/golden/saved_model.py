"""SavedModels, both ways: what Reflow writes runs in real TensorFlow, what TensorFlow writes runs in Reflow.

`tests/golden/saved_model/tensorflow/` is TensorFlow's, `…/reflow/` is Reflow's; TensorFlow loaded and trained it
(`check`). `build(tf)` makes the same module in either: an MLP whose training functions hold the forward pass, the loss,
the gradients and the update of the variables. `exercise` runs it and returns numbers; those of the library that wrote
the folder lie beside it in `expected.json`. The tests use both functions.
"""

from __future__ import annotations

import json
import pathlib
import shutil

import numpy as np

from tools import golden
from tools.golden import run

GOLDEN = golden.GOLDEN / "saved_model"
STEPS = 4
TOLERANCE = 1e-5


def data():
    """Three batches of different sizes: the batch dimension of all functions is unknown."""
    rng = np.random.RandomState(7)
    return [(rng.randn(n, 4).astype(np.float32), rng.randint(0, 3, n).astype(np.int32)) for n in (6, 3, 1)]


def specs(tf) -> list:
    """What most functions take: rows and their classes."""
    return [tf.TensorSpec([None, 4], tf.float32, name="x"), tf.TensorSpec([None], tf.int32, name="y")]


def build(tf):
    """The module, in TensorFlow or in Reflow."""
    model = trainable(tf, network(tf))()
    model.power(tf.constant(2.0))
    model.power(tf.constant([1.0, 2.0]), 3, negate=True)
    return model


def network(tf):
    """The class with the variables, and the functions that only read them."""

    class Network(tf.Module):
        def __init__(self):
            super().__init__(name="model")
            rng = np.random.RandomState(0)
            shapes = [("w1", (4, 5)), ("b1", (5,)), ("w2", (5, 3)), ("b2", (3,))]
            self.weights = [tf.Variable(0.5 * rng.randn(*s).astype(np.float32), name=n) for n, s in shapes]
            self.slots = {
                k: [tf.Variable(np.zeros(s, np.float32), trainable=False, name=f"{k}_{n}") for n, s in shapes]
                for k in "mv"
            }
            self.step = tf.Variable(0, trainable=False, name="step")
            self.scale = tf.constant([1.0, 0.5, 2.0])  # captured by the functions

        @tf.function(input_signature=specs(tf)[:1])
        def logits(self, x):
            w1, b1, w2, b2 = self.weights
            hidden = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, w1), b1))
            return tf.nn.bias_add(tf.matmul(hidden, w2), b2) * self.scale

        @tf.function(input_signature=specs(tf)[:1])
        def predict(self, x):
            return {"probabilities": tf.nn.softmax(self.logits(x)), "classes": tf.argmax(self.logits(x), axis=-1)}

        def loss(self, x, y):
            """Not a tf.function: part of those that call it."""
            w1, b1, w2, b2 = self.weights
            hidden = tf.tanh(tf.matmul(x, w1) + b1) + tf.nn.relu(tf.matmul(x, w1))
            logits = (tf.matmul(hidden, w2) + b2) * self.scale
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
            return tf.reduce_mean(losses) + 0.01 * tf.reduce_sum(tf.square(w1))

        @tf.function
        def power(self, x, exponent=2, negate=False):
            result = x
            for _ in range(exponent - 1):
                result = result * x
            return -result if negate else result

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="x")])
        def branches(self, x):
            """Gradients through a condition."""
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.sin(x) * x, lambda: tf.exp(x))
            return tape.gradient(y, x)

    return Network


def trainable(tf, network):
    """The class with functions that train."""

    class Model(network):
        @tf.function(input_signature=specs(tf))
        def train_sgd(self, x, y):
            with tf.GradientTape() as tape:
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=self.logits(x))
                loss = tf.reduce_mean(losses)
            for variable, gradient in zip(self.weights, tape.gradient(loss, list(self.weights)), strict=True):
                variable.assign_sub(0.1 * gradient)
            self.step.assign_add(1)
            return {"loss": loss, "step": tf.identity(self.step)}

        @tf.function(input_signature=specs(tf))
        def train_adam(self, x, y):
            with tf.GradientTape() as tape:
                loss = self.loss(x, y)
            gradients = tape.gradient(loss, list(self.weights))
            self.step.assign_add(1)
            t = tf.cast(self.step, tf.float32)
            rate = 0.05 * tf.sqrt(1.0 - tf.pow(0.999, t)) / (1.0 - tf.pow(0.9, t))
            for variable, m, v, g in zip(self.weights, self.slots["m"], self.slots["v"], gradients, strict=True):
                m.assign(0.9 * m + 0.1 * g)
                v.assign(0.999 * v + 0.001 * tf.square(g))
                variable.assign_sub(rate * m / (tf.sqrt(v) + 1e-7))
            return loss

        @tf.function(input_signature=[*specs(tf), tf.TensorSpec([], tf.int32, name="count")])
        def train_many(self, x, y, count):
            """A loop whose body trains, with a condition inside."""

            def body(i, total):
                with tf.GradientTape() as tape:
                    loss = self.loss(x, y)
                gradients = tape.gradient(loss, list(self.weights))
                rate = tf.cond(i % 2 == 0, lambda: 0.1, lambda: 0.01 * loss)
                for variable, gradient in zip(self.weights, gradients, strict=True):
                    variable.assign_sub(rate * gradient)
                return i + 1, total + loss

            return tf.while_loop(lambda i, total: i < count, body, (0, 0.0))

    return Model


def save(tf, model, folder):
    tf.saved_model.save(
        model, str(folder / "model"), signatures={"serving_default": model.predict, "train": model.train_sgd}
    )
    tf.train.Checkpoint(model=model).write(str(folder / "checkpoint" / "ckpt"))


def exercise(tf, model) -> dict:
    """Run all functions of a module; numbers by name, in the order in which they came out."""
    out = {}
    batches = data()
    for i in range(STEPS):
        x, y = (tf.constant(a) for a in batches[i % len(batches)])
        out[f"sgd {i} loss"] = model.train_sgd(x, y)["loss"]
        out[f"adam {i} loss"] = model.train_adam(x, y)
    x, y = (tf.constant(a) for a in batches[0])
    steps, total = model.train_many(x, y, tf.constant(3))
    out["many steps"], out["many total"] = steps, total
    out.update({f"predict {k}": v for k, v in model.predict(x).items()})
    out["power 2"] = model.power(tf.constant(3.0))
    out["power -3"] = model.power(tf.constant([1.0, 2.0]), 3, negate=True)
    out["branch up"] = model.branches(tf.constant([0.5, 1.0]))
    out["branch down"] = model.branches(tf.constant([-0.5, -1.0]))
    out["step"] = model.step
    out.update({f"weights {i}": v for i, v in enumerate(model.weights)})
    out.update({f"slot {k} {i}": v for k in "mv" for i, v in enumerate(model.slots[k])})
    return {k: np.asarray(v.numpy()) for k, v in out.items()}


def exercise_signatures(tf, loaded) -> dict:
    x, y = (tf.constant(a) for a in data()[1])
    out = {f"signature train {k}": v for k, v in loaded.signatures["train"](x=x, y=y).items()}
    out.update({f"signature serve {k}": v for k, v in loaded.signatures["serving_default"](x=x).items()})
    return {k: np.asarray(v.numpy()) for k, v in out.items()}


def write_expected(folder, numbers):
    (folder / "expected.json").write_text(json.dumps({k: v.tolist() for k, v in numbers.items()}, indent=0) + "\n")


def differences(folder, numbers) -> dict[str, float]:
    """The largest difference from `expected.json`, by name."""
    expected = json.loads((folder / "expected.json").read_text())
    if expected.keys() != numbers.keys():
        raise SystemExit(f"other names than expected: {sorted(expected.keys() ^ numbers.keys())}")
    return {k: float(np.max(np.abs(np.asarray(expected[k], np.float64) - numbers[k]), initial=0)) for k in expected}


def write(tf, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    model = build(tf)
    save(tf, model, folder)
    # numbers of the module itself, not of what was loaded
    numbers = exercise(tf, model)
    signature = model.train_sgd(*(tf.constant(a) for a in data()[1]))
    numbers.update({f"signature train {k}": np.asarray(v.numpy()) for k, v in signature.items()})
    served = model.predict(tf.constant(data()[1][0]))
    numbers.update({f"signature serve {k}": np.asarray(v.numpy()) for k, v in served.items()})
    write_expected(folder, numbers)
    (folder / "model" / "fingerprint.pb").unlink(missing_ok=True)
    size = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
    print(f"wrote {folder} ({size} bytes)")


def check(folder: pathlib.Path) -> bool:
    """Under real TensorFlow: load what Reflow wrote."""
    import tensorflow as tf

    loaded = tf.saved_model.load(str(folder / "model"))
    numbers = exercise(tf, loaded) | exercise_signatures(tf, loaded)
    worst = 0.0
    for name, difference in differences(folder, numbers).items():
        worst = max(worst, difference)
        shown = f"{numbers[name]:.6g}" if numbers[name].ndim == 0 else f"shape {list(numbers[name].shape)}"
        print(f"  {name:32} {shown:>16}   off by {difference:.1e}")
    print(f"saved_model.load: {len(numbers)} results, largest difference {worst:.1e}")
    fresh = build(tf)
    for variable in fresh.variables:
        variable.assign(tf.zeros_like(variable))
    tf.train.Checkpoint(model=fresh).read(str(folder / "checkpoint" / "ckpt")).assert_consumed()
    original = build(tf)
    same = all(np.array_equal(a.numpy(), b.numpy()) for a, b in zip(fresh.variables, original.variables, strict=True))
    print(f"tf.train.Checkpoint: {len(fresh.variables)} variables, {'equal' if same else 'NOT EQUAL'}")
    served = _serve(tf, folder)
    print(f"TensorFlow 1 session: predict off by {served:.1e}")
    return worst <= TOLERANCE and same and served <= TOLERANCE


def _serve(tf, folder) -> float:
    """Run a signature in a session, as TensorFlow Serving does."""
    x = data()[0][0]
    fresh = tf.saved_model.load(str(folder / "model"))
    with tf.compat.v1.Session(graph=tf.Graph()) as session:
        meta = tf.compat.v1.saved_model.load(session, ["serve"], str(folder / "model"))
        signature = meta.signature_def["serving_default"]
        got = session.run(signature.outputs["probabilities"].name, {signature.inputs["x"].name: x})
    return float(np.max(np.abs(got - fresh.predict(x)["probabilities"].numpy())))


def record():
    """TensorFlow writes its SavedModel."""
    import tensorflow as tf

    write(tf, GOLDEN / "tensorflow")


def write_with_reflow(folder: pathlib.Path):
    import reflow as tf

    write(tf, folder)


if __name__ == "__main__":
    run(record, write_with_reflow, check)
