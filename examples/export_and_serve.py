"""Export a model as a SavedModel, load it without its code, and serve it over HTTP as TensorFlow Serving does.

    python -m reflow examples/export_and_serve.py

The server is forty lines on Python's own `http.server`. It answers one request that the program sends itself.
"""

import http.server
import json
import tempfile
import threading
import urllib.request

import numpy as np
import tensorflow as tf


class Classifier(tf.Module):
    """A model with its own preprocessing, so that clients send what they have: texts."""

    def __init__(self, words):
        super().__init__()
        keys = tf.constant(list(words))
        self.table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(keys, tf.range(len(words), dtype=tf.int64)), -1
        )
        self.scores = tf.Variable(list(words.values()), dtype=tf.float32)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="text")])
    def serve(self, text):
        words = tf.strings.split(tf.strings.lower(text))
        numbers = self.table.lookup(words.flat_values)
        scores = tf.where(numbers >= 0, tf.gather(self.scores, tf.maximum(numbers, 0)), 0.0)
        total = tf.reduce_sum(words.with_flat_values(scores), axis=1)
        return {"score": total, "mood": tf.where(total >= 0.0, "good", "bad")}


class Server(http.server.BaseHTTPRequestHandler):
    """POST /v1/models/mood:predict {"instances": [...]} -> {"predictions": [...]}, as TensorFlow Serving has it."""

    predict = None

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        results = self.predict(text=tf.constant(request["instances"]))
        columns = {
            name: np.asarray(value.numpy()).astype(str if value.dtype == tf.string else float)
            for name, value in results.items()
        }
        rows = [
            {name: column[i].tolist() for name, column in columns.items()} for i in range(len(request["instances"]))
        ]
        body = json.dumps({"predictions": rows}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        """Keep quiet: the program prints what it does itself."""


def ask(port, texts):
    body = json.dumps({"instances": texts}).encode()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models/mood:predict", data=body) as answer:
        return json.loads(answer.read())["predictions"]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        model = Classifier({"good": 1.0, "great": 2.0, "bad": -1.0, "awful": -2.0})
        tf.saved_model.save(model, folder, signatures=model.serve)
        print(f"saved: {sorted(tf.io.gfile.listdir(folder))}")
        loaded = tf.saved_model.load(folder)  # the class above is not needed for this
        signature = loaded.signatures["serving_default"]
        print(f"signature: {signature.structured_input_signature[1]} -> {sorted(signature.structured_outputs)}")
        Server.predict = staticmethod(signature)
        server = http.server.HTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        texts = ["A great film", "awful plot but good music", "bad"]
        for text, answer in zip(texts, ask(server.server_port, texts)):
            print(f"  {text!r} -> {answer['mood']} ({answer['score']:+.1f})")
        server.shutdown()
        server.server_close()
