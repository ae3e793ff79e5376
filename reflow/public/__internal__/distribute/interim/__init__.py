# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.distribute.interim`."""

from reflow.distribute.strategy import maybe_merge_call as maybe_merge_call
