"""Records of CSV files."""

import pytest

from reflow.core import errors
from reflow.io.csv_records import rows


def read(*lines, quotes=True):
    return [[field.text for field in row] for row in rows(lines, b",", quotes)]


def test_quoted_fields_hold_delimiters_ends_and_quotes():
    assert read(b'1,"a,b\n', b'c""d",\r\n', b'"",x') == [[b"1", b'a,b\nc"d', b""], [b"", b"x"]]
    assert read(b'1,"a\n', quotes=False) == [[b"1", b'"a']]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (b'1,a"b"\n', "Unquoted fields cannot have quotes inside"),
        (b'1,"a"b\n', "Quote inside a string has to be escaped"),
        (b'1,"a\n', "Reached end of file without closing quoted field"),
    ],
)
def test_misplaced_quotes_are_refused(line, text):
    with pytest.raises(errors.InvalidArgumentError, match=text):
        read(line)
