# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.strings`."""

from reflow.api.strings.elementwise import as_string as as_string
from reflow.api.strings.elementwise import format_ as format
from reflow.api.strings.elementwise import lower as lower
from reflow.api.strings.elementwise import regex_full_match as regex_full_match
from reflow.api.strings.elementwise import regex_replace as regex_replace
from reflow.api.strings.elementwise import strip as strip
from reflow.api.strings.elementwise import to_hash_bucket_fast as to_hash_bucket_fast
from reflow.api.strings.elementwise import to_hash_bucket_strong as to_hash_bucket_strong
from reflow.api.strings.elementwise import upper as upper
from reflow.api.strings.rows import bytes_split as bytes_split
from reflow.api.strings.rows import join as join
from reflow.api.strings.rows import ngrams as ngrams
from reflow.api.strings.rows import unsorted_segment_join as unsorted_segment_join
from reflow.api.strings.unicode import unicode_decode as unicode_decode
from reflow.api.strings.unicode import unicode_decode_with_offsets as unicode_decode_with_offsets
from reflow.api.strings.unicode import unicode_encode as unicode_encode
from reflow.api.strings.unicode import unicode_script as unicode_script
from reflow.api.strings.unicode import unicode_split as unicode_split
from reflow.api.strings.unicode import unicode_split_with_offsets as unicode_split_with_offsets
from reflow.api.strings.unicode import unicode_transcode as unicode_transcode
from reflow.compat.functions import string_to_hash_bucket as to_hash_bucket
from reflow.compat.functions import string_to_number as to_number
from reflow.compat.reordered import length as length
from reflow.compat.reordered import reduce_join as reduce_join
from reflow.compat.reordered import substr as substr
from reflow.compat.rows_of_strings import split as split

__all__ = [
    "as_string", "bytes_split", "format", "join", "length", "lower", "ngrams", "reduce_join", "regex_full_match",
    "regex_replace", "split", "strip", "substr", "to_hash_bucket", "to_hash_bucket_fast", "to_hash_bucket_strong",
    "to_number", "unicode_decode", "unicode_decode_with_offsets", "unicode_encode", "unicode_script", "unicode_split",
    "unicode_split_with_offsets", "unicode_transcode", "unsorted_segment_join", "upper",
]
