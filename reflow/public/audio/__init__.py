# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.audio`: audio files."""

from reflow.api.audio import decode_wav as decode_wav
from reflow.api.audio import encode_wav as encode_wav
