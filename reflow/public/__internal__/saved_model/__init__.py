# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.saved_model`."""

from typing import TYPE_CHECKING

from reflow.public.__internal__.saved_model import load as load
from reflow.core.namespaces import later

if TYPE_CHECKING:
    from reflow.saved_model.loading import load_partial as load_partial
    from reflow.saved_model.resource import RestoredResource as RestoredResource
    from reflow.saved_model.saved_model_proto import read as parse_saved_model
    from reflow.saved_model.saving import save_and_return_nodes as save_and_return_nodes
    from reflow.saved_model.structures import decode_present as decode_proto
    from reflow.saved_model.structures import encode as encode_structure

__getattr__ = later(__name__)

__all__ = [
    "RestoredResource", "decode_proto", "encode_structure", "load", "load_partial", "parse_saved_model",
    "save_and_return_nodes",
]
