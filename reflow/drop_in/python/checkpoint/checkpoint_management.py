"""`tensorflow.python.checkpoint.checkpoint_management`: names of the files beside a checkpoint."""

import re

from reflow.train.checkpoint_state import checkpoint_exists as checkpoint_exists_internal  # noqa: F401 - its name here


def meta_graph_filename(checkpoint_filename, meta_graph_suffix="meta"):
    """The name of the file with the graph of a checkpoint, of which one shard may be named."""
    return f"{re.sub(r'-[0-9?]+-of-[0-9]+$', '', checkpoint_filename)}.{meta_graph_suffix}"
