"""Regular expressions: TensorFlow 2.21's answers, and patterns that take other engines for ever."""

import pytest

import reflow as tf
from reflow.core import errors


@pytest.mark.parametrize("text, pattern, rewrite, everywhere, expected", [
    ("aaa", "a*", "X", True, b"X"),
    ("héllo", "x*", "-", True, b"-h-\xc3\xa9-l-l-o-"),
    ("héllo", ".", "<\\0>", True, b"<h><\xc3\xa9><l><l><o>"),
    ("abc abc", "(a)(b)?", "[\\2\\1]", True, b"[ba]c [ba]c"),
    ("abc abc", "(a)(b)?", "[\\2\\1]", False, b"[ba]c abc"),
    ("aaa", "a", "p\\x", True, b"ppp"),
    ("aaa", "a", "p\\x", False, b"aaa"),
    ("aaa", "a", "\\2", True, b"aaa"),
    ("日本語 a", "\\p{Han}+", "\\\\", True, b"\\ a"),
    ("xyz123", "\\d+", "\\0\\0", True, b"xyz123123"),
    ("a\nb", "(?m)^b", "X", True, b"a\nX"),
    ("$5.00", "[\\d\\-.]+", "n", True, b"$n"),
    ("aAbB", "(?i)a", "", True, b"bB"),
    ("foo.bar", "\\Qo.b\\E", "_", True, b"fo_ar"),
    (b"\xff\xfeab", "a", "X", True, b"\xff\xfeXb"),
])
def test_replacements(text, pattern, rewrite, everywhere, expected):
    assert tf.strings.regex_replace(text, pattern, rewrite, everywhere).numpy() == expected


@pytest.mark.parametrize("pattern, why", [
    ("(", "missing ): ("), ("[", "missing ]: ["), ("a**", "bad repetition operator: **"),
    ("(?=a)", "invalid perl operator: (?="), ("\\1", "invalid escape sequence: \\1"),
    ("\\Z", "invalid escape sequence: \\Z"), ("[[:foo:]]", "invalid character class range: [:foo:]"),
    ("a{1001}", "invalid repetition size: {1001}"),
])
def test_patterns_that_are_none(pattern, why):
    with pytest.raises(errors.InvalidArgumentError) as caught:
        tf.strings.regex_full_match("a", pattern)
    assert f"Invalid pattern: {pattern}, error: {why}" in str(caught.value)


def test_a_pattern_that_is_no_utf8():
    with pytest.raises(errors.InvalidArgumentError, match="invalid UTF-8"):
        tf.strings.regex_full_match("a", b"\xff")


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(.*)*$", "(a*)*(a*)*$"])
def test_patterns_that_take_other_engines_exponential_time(pattern):
    text = "a" * 50_000 + "!"
    assert tf.strings.regex_full_match(text, pattern + "x").numpy() == False  # noqa: E712 - a NumPy bool
    assert tf.strings.regex_replace(text, pattern + "x", "").numpy() == text.encode()
