"""What is in an event file."""

from pathlib import Path

import reflow as tf
from tests.io.recorded_files import records


def values(folder):
    """(step, tag, plugin, dtype, value) of every summary, and the format's version."""
    from tensorboard.compat.proto.event_pb2 import Event

    (file,) = Path(folder).iterdir()
    first, *events = [Event.FromString(r) for r in records(file)]
    out = []
    for event in events:
        for v in event.summary.value:
            array = tf.make_ndarray(v.tensor)
            # the PNG's bytes are the encoder's affair
            shown = array[:2].tolist() if v.tag == "outer/im" else array.tolist()
            out.append(
                (event.step, v.tag, v.metadata.plugin_data.plugin_name, v.metadata.data_class, v.tensor.dtype, shown)
            )
    return first.file_version, out
