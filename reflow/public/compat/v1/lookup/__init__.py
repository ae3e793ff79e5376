# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.lookup`."""

from reflow.lookup.buckets import StaticVocabularyTable as StaticVocabularyTable
from reflow.lookup.public import KeyValueTensorInitializer as KeyValueTensorInitializer
from reflow.lookup.public import StaticHashTable as StaticHashTable
from reflow.lookup.public import TextFileIndex as TextFileIndex
from reflow.lookup.public import TextFileInitializer as TextFileInitializer
from reflow.public.compat.v1.lookup import experimental as experimental
