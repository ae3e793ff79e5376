"""`tf.strings` element by element: ragged tensors, errors, regular expressions, hashes."""

import pytest

import reflow as tf
from reflow.ops.kernels.strings.hashing import fingerprint64, siphash
from reflow.ops.kernels.strings.regex import compiled
from tests.expressions import session

test_expressions = session(__file__)


def test_ragged_is_elementwise():
    rows = tf.ragged.constant([["A b"], ["c", "D"]])
    assert tf.strings.lower(rows).to_list() == [[b"a b"], [b"c", b"d"]]
    assert tf.strings.length(input=rows).to_list() == [[3], [1, 1]]
    assert tf.strings.regex_replace(rows, "[a-z]", "_").to_list() == [[b"A _"], [b"_", b"D"]]
    assert tf.strings.join([rows, "!"]).to_list() == [[b"A b!"], [b"c!", b"D!"]]
    assert tf.strings.reduce_join(rows, axis=1, separator="+").numpy().tolist() == [b"A b", b"c+D"]
    assert tf.strings.unicode_split(rows, "UTF-8").to_list() == [[[b"A", b" ", b"b"]], [[b"c"], [b"D"]]]
    assert tf.strings.format("{} {}", [rows, 1]).numpy() == b"[['A b'], ['c', 'D']] 1"


@pytest.mark.parametrize("call, message", [
    (lambda: tf.strings.substr("abc", 5, 1), "pos 5 out of range for string b'abc' at index 0"),
    (
        lambda: tf.strings.substr(["abc", "abc"], [1, 2], 2),
        r"pos and len should have the same shape, got: \[2\] vs. \[\]",
    ),
    (lambda: tf.strings.as_string([1], precision=3), "precision not supported for datatype int32"),
    (lambda: tf.strings.as_string([1.0], shortest=True, scientific=True), "Cannot select both"),
    (lambda: tf.strings.as_string([1], fill="x"), "Fill argument not supported"),
    (lambda: tf.strings.to_number("1.5f"), "could not correctly convert string: 1.5f"),
    (lambda: tf.strings.to_number("99999999999", tf.int32), "could not correctly convert string"),
    (lambda: tf.strings.regex_replace("a", "(", ""), r"Invalid pattern: \(, error: missing \): \("),
    (lambda: tf.strings.unicode_decode(b"\xff", "UTF-8", errors="strict"), "Invalid formatting on input string"),
    (lambda: tf.strings.unicode_decode("a", "UTF-9"), "Could not create converter for input encoding: UTF-9"),
    (lambda: tf.strings.unicode_encode([0xD800], "UTF-8", errors="strict"), "is a surrogate"),
    (lambda: tf.strings.unicode_encode([65], "UTF-7"), "Value for attr 'output_encoding'"),
    (lambda: tf.strings.length("a", unit="X"), "Value for attr 'unit' of \"X\""),
    (lambda: tf.strings.lower("a", encoding="latin"), "only utf-8 or ''"),
    (lambda: tf.strings.join([["a", "b"], ["c"]]), "Input shapes do not match"),
    (lambda: tf.strings.to_hash_bucket_strong("a", 5, [1]), "Key must have 2 elements"),
    (lambda: tf.fingerprint(1), "should have at least one dimension"),
    (lambda: tf.strings.unsorted_segment_join(["a"], [3], 2), "not allowed to exceed"),
    (lambda: tf.io.decode_base64("a*"), "Invalid character found in base64")])
def test_errors(call, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        call()


@pytest.mark.parametrize("pattern, text, expected", [
    (r"\pN+", "a1٣b", "a<1٣>b"), (r"a(?i)b|C", "aB c C ab", "<aB> <c> <C> <ab>"),
    (r"x*", "ab", "<>a<>b<>"), (r"[[:^alpha:]]", "a1", "a<1>"),
    (r"\Qa.b\E", "a.b axb", "<a.b> axb"), (r"a{,2}", "aa a{,2}", "aa <a{,2}>"),
    (r"(?U)a+", "aa", "<a><a>"), (r"\s", "a\x0b \n", "a\x0b< ><\n>")])
def test_re2_language(pattern, text, expected):
    assert tf.strings.regex_replace(text, pattern, r"<\0>").numpy().decode() == expected


@pytest.mark.parametrize("pattern", ["(?=a)", r"\1", "a**", "*", "[z-a]", "[a", ")"])
def test_re2_refuses(pattern):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern"):
        compiled(pattern.encode())


def test_published_hashes():
    """Values that the authors of the hash functions give."""
    assert siphash(bytes(range(15)), 0x0706050403020100, 0x0F0E0D0C0B0A0908) == 0xA129CA6149BE45E5
    assert fingerprint64(b"") == 0x9AE16A3B2F90404F


def test_long_strings_hash_as_in_tensorflow():
    text = bytes(i % 251 for i in range(300))
    assert (
        tf.strings.to_hash_bucket_fast([text[:33], text[:65], text], 10**6).numpy().tolist() == [635022, 373374, 370037]
    )
