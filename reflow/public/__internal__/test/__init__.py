# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.test`."""

from reflow.public.__internal__.test import combinations as combinations
