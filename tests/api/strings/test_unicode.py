"""`tf.strings.unicode_…` by rank."""


import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_unicode_encode_by_rank():
    assert tf.strings.unicode_encode([[[104], [105]]], "UTF-8").numpy().tolist() == [[b"h", b"i"]]
    rows = tf.ragged.constant([[104, 105], []], dtype=tf.int32)
    assert tf.strings.unicode_encode(rows, "UTF-8").numpy().tolist() == [b"hi", b""]
