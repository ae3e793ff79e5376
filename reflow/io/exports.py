"""Loads everything in `tf.io`, and the messages of `tf.train` that records hold."""

from reflow.api.export import export_value
from reflow.io import datasets, files, parsing, tf_record
from reflow.io.examples import MESSAGES

for _name, _message in MESSAGES.items():
    export_value(_message, f"train.{_name}")

__all__ = ["datasets", "files", "parsing", "tf_record"]
