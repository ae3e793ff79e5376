"""Strings, their hashes and encodings, and tables."""
# ruff: noqa: E501 - a case is one line

from tests.ops.inputs import const, ints, normal
from tests.ops.table import EAGER, case, raw

S = ("string",)
NAMES = const(["Hello World", " two  spaces ", "", "caf\u00e9 12"], "string")
PAIR = const([["a", "b"], ["c", "d"]], "string")
ODD = const([b"a\xc3\xa9", b"\xff\xc3a\xe2\x82", b"\x01\x7f"], "string")


def strings(name, expression, *inputs, **facts):
    case(name, expression, *inputs, dtypes=S, grad=False, **facts)


def parts(rows):
    """The tensors of a ragged matrix."""
    return [rows.values, rows.row_splits]


strings("StringLower", lambda tf, x: tf.strings.lower(x), NAMES)
strings("StringLower utf8", lambda tf, x: tf.strings.lower(x, encoding="utf-8"), const(["\u00c4B"], "string"))
strings("StringUpper", lambda tf, x: tf.strings.upper(x), NAMES)
strings("StringUpper utf8", lambda tf, x: tf.strings.upper(x, encoding="utf-8"), NAMES)
strings("StringStrip", lambda tf, x: tf.strings.strip(x), NAMES)
strings("StringLength", lambda tf, x: tf.strings.length(x), NAMES)
strings("StringLength utf8", lambda tf, x: tf.strings.length(x, unit="UTF8_CHAR"), NAMES)
strings("StringJoin", lambda tf, x, y: tf.strings.join([x, y, "z"], "-"), PAIR, PAIR)
strings("StringJoin 0d", lambda tf, x, y: tf.strings.join([x, y]), PAIR, const("s", "string"))
strings("ReduceJoin", lambda tf, x: tf.strings.reduce_join(x, axis=1, separator=","), PAIR)
strings("ReduceJoin all", lambda tf, x: tf.strings.reduce_join(x), PAIR)
strings("ReduceJoin order", lambda tf, x: tf.strings.reduce_join(x, axis=[0, 1], keepdims=True), PAIR)
strings("StringSplitV2", lambda tf, x: parts(tf.strings.split(x)), NAMES)
strings("StringSplitV2 sep", lambda tf, x: parts(tf.strings.split(x, "l", maxsplit=2)), NAMES)
strings("StringSplit", lambda tf, x: list(raw(tf, "StringSplit", input=x, delimiter=" l", skip_empty=True)), NAMES)
strings("StringSplit bytes", lambda tf, x: parts(tf.strings.bytes_split(x)), NAMES)
strings("RegexReplace", lambda tf, x, p: tf.strings.regex_replace(x, p, tf.constant(r"<\0>")), NAMES, const("[a-z]+", "string"))
strings("StaticRegexReplace", lambda tf, x: tf.strings.regex_replace(x, r"(\w)(\w)", r"\2\1"), NAMES)
strings("StaticRegexReplace once", lambda tf, x: tf.strings.regex_replace(x, "l*", "_", replace_global=False), NAMES)
strings("StaticRegexReplace punct", lambda tf, x: tf.strings.regex_replace(x, "[[:space:]]", "."), NAMES)
strings("RegexFullMatch", lambda tf, x, p: tf.strings.regex_full_match(x, p), NAMES, const(".*o.*", "string"))
strings("StaticRegexFullMatch", lambda tf, x: tf.strings.regex_full_match(x, r"\s.*"), NAMES)
case("AsString", lambda tf, x: tf.strings.as_string(x), normal(2, 3), dtypes=("float32", "float64", "int32", "int64", "complex64", "bfloat16"), grad=False)
case("AsString width", lambda tf, x: tf.strings.as_string(x, precision=2, width=9, fill="0"), normal(2, 3), grad=False)
case("AsString shortest", lambda tf, x: tf.strings.as_string(x, shortest=True), normal(2, 3), grad=False)
case("AsString scientific", lambda tf, x: tf.strings.as_string(x, scientific=True), normal(2, 3), grad=False)
case("AsString bool", lambda tf, x: tf.strings.as_string(x), const([True, False], "bool"), grad=False)
strings("StringToNumber", lambda tf, x: tf.strings.to_number(x), const(["1.5", " -2e3 ", "inf"], "string"))
strings("StringToNumber int64", lambda tf, x: tf.strings.to_number(x, tf.int64), const(["15", " -2 "], "string"))
strings("Substr", lambda tf, x: tf.strings.substr(x, 1, 3), const(["Hello", "\u00e9t\u00e9"], "string"))
strings("Substr utf8", lambda tf, x: tf.strings.substr(x, [-2, 0], [1, 9], unit="UTF8_CHAR"), const(["Hello", "\u00e9t\u00e9"], "string"))
strings("StringNGrams", lambda tf, x: tf.strings.ngrams(x, [1, 2], separator="_", pad_values=("<", ">")), const(["a", "b", "c"], "string"))
strings("StringNGrams short", lambda tf, x: parts(tf.strings.ngrams(tf.strings.split(x), 3, preserve_short_sequences=True)), const(["a b c d", "e", ""], "string"))
strings("UnicodeDecode", lambda tf, x: parts(tf.strings.unicode_decode(x, "UTF-8")), ODD)
strings("UnicodeDecode ignore", lambda tf, x: parts(tf.strings.unicode_decode(x, "UTF-8", errors="ignore", replace_control_characters=True)), ODD)
strings("UnicodeDecodeWithOffsets", lambda tf, x: [t for r in tf.strings.unicode_decode_with_offsets(x, "UTF-8") for t in parts(r)], ODD)
strings("UnicodeDecodeWithOffsets split", lambda tf, x: [t for r in tf.strings.unicode_split_with_offsets(x, "UTF-8") for t in parts(r)], ODD)
strings("UnicodeEncode", lambda tf, x: tf.strings.unicode_encode(x, "UTF-16-BE"), const([[104, 233], [0x1F60A, 0xD800]], "int32"))
strings("UnicodeTranscode", lambda tf, x: tf.strings.unicode_transcode(x, "UTF-8", "UTF-16-BE"), ODD)
strings("UnicodeTranscode latin", lambda tf, x: tf.strings.unicode_transcode(x, "ISO-8859-1", "UTF-8"), ODD)
strings("UnicodeScript", lambda tf, x: tf.strings.unicode_script(x), const([97, 0x3B1, 0x30A2, 0x4E00, 32, -1], "int32"))
strings("StringToHashBucketFast", lambda tf, x: tf.strings.to_hash_bucket_fast(x, 1000), NAMES)
strings("StringToHashBucketStrong", lambda tf, x: tf.strings.to_hash_bucket_strong(x, 1000, [1, 2]), NAMES)
strings("StringToHashBucket", lambda tf, x: tf.strings.to_hash_bucket(x, 1000), NAMES)
strings("Fingerprint", lambda tf, x: tf.fingerprint(x), NAMES)
strings("Fingerprint rows", lambda tf, x: tf.fingerprint(x), PAIR)
strings("Fingerprint ints", lambda tf, x: tf.fingerprint(x), ints(0, 99, 3, 4))
strings("UnsortedSegmentJoin", lambda tf, x, i: tf.strings.unsorted_segment_join(x, i, 3, ":"), PAIR, const([2, 0], "int32"))
strings("EncodeBase64", lambda tf, x: [tf.io.encode_base64(x), tf.io.encode_base64(x, pad=True)], NAMES)
strings("DecodeBase64", lambda tf, x: tf.io.decode_base64(x), const(["aGVsbG8", "YcO_", "YQ=="], "string"))
strings("SparseCross", lambda tf, x, y: (lambda s: [s.indices, s.values, s.dense_shape])(tf.sparse.cross_hashed([x, y], 100)), PAIR, ints(0, 9, 2, 2))
strings("SparseCrossV2", lambda tf, x, y: (lambda s: [s.indices, s.values, s.dense_shape])(tf.sparse.cross([x, y], separator="-")), PAIR, ints(0, 9, 2, 2))


# --- tables


def static(tf, anonymous=False):
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1, experimental_is_anonymous=anonymous)


def changed(tf, table, keys, values):
    """A table after an insertion and a removal: a lookup, its size, its keys in any order."""
    table.insert(keys, values)
    table.remove(keys[:1])
    exported, _ = table.export()
    marks = tf.strings.to_hash_bucket_fast(tf.strings.as_string(exported), 1000)
    return [table.lookup(keys), table.size(), tf.reduce_sum(marks)]


def from_file(tf):
    import tempfile

    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("x 10\ny 20\n")
        file.flush()
        init = tf.lookup.TextFileInitializer(file.name, tf.string, 0, tf.int64, 1, delimiter=" ")
        return tf.lookup.StaticHashTable(init, -1)[tf.constant(["y", "z"])]


def initialized(tf, keys):
    handle = raw(tf, "AnonymousHashTable", key_dtype=tf.string, value_dtype=tf.int64)
    raw(tf, "InitializeTableV2", table_handle=handle, keys=keys[0], values=tf.constant([5, 6], tf.int64))
    return raw(tf, "LookupTableFindV2", table_handle=handle, keys=keys, default_value=tf.constant(0, tf.int64))


KEYS, NUMBERS = const(["k", "l", "m"], "string"), const([11, 12, 13], "int64")
MUTABLE, DENSE = "MutableHashTable", "DenseHashTable"
strings("LookupTableFindV2", lambda tf, x: [static(tf).lookup(x), static(tf, True).lookup(x)], PAIR, modes=EAGER, covers=("HashTableV2", "AnonymousHashTable", "LookupTableImportV2"))
strings("LookupTableSizeV2", lambda tf: [static(tf).size(), tf.lookup.StaticVocabularyTable(None, 5)[tf.constant(["p", "q"])]], modes=EAGER)
strings("InitializeTableFromTextFileV2", from_file, modes=EAGER)
strings("InitializeTableV2", initialized, PAIR, modes=EAGER)
strings("MutableHashTableV2", lambda tf, k, v: [changed(tf, tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, experimental_is_anonymous=a), k, v) for a in (False, True)], KEYS, NUMBERS, modes=EAGER,
        covers=("AnonymousMutableHashTable", "LookupTableInsertV2", "LookupTableRemoveV2", "LookupTableExportV2"))
strings("MutableHashTableOfTensorsV2", lambda tf, k: [changed(tf, tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, [-1, -1], experimental_is_anonymous=a), k, tf.stack([k, -k], 1)) for a in (False, True)], NUMBERS, modes=EAGER,
        covers=("AnonymousMutableHashTableOfTensors",))
strings("MutableDenseHashTableV2", lambda tf, k, v: [changed(tf, tf.lookup.experimental.DenseHashTable(tf.string, tf.int64, -1, "", "$", 4, experimental_is_anonymous=a), k, v) for a in (False, True)], KEYS, NUMBERS, modes=EAGER,
        covers=("AnonymousMutableDenseHashTable",))

# --- protocol buffers: a message of seven fields, described by the bytes of its file
_SOURCE = b'bytes://\nq\n\x07t.proto\x12\x01t"[\n\x01M\x12\t\n\x01i\x18\x01 \x01(\x05\x12\t\n\x01s\x18\x02 \x03(\t\x12\x0e\n\x01d\x18\x03 \x01(\x01:\x032.5\x12\t\n\x01b\x18\x04 \x01(\x08\x12\t\n\x01u\x18\x05 \x03(\x04\x12\x0f\n\x01m\x18\x06 \x01(\x0b2\x04.t.M\x12\t\n\x01f\x18\x07 \x03(\x02b\x06proto2'
_MESSAGES = [b"\x08\x03\x12\x01x\x12\x02yy(\x80\x80\x80\x80\x80\x80\x80\x80\x80\x012\x02\x08\x04", b"\x19\x00\x00\x00\x00\x00\x00\xf8? \x01=\x00\x00\xc0?=\x00\x00\x00@"]


def _fields(tf):
    return list("isdbumf"), [tf.int32, tf.string, tf.float64, tf.bool, tf.uint64, tf.string, tf.float32]


def _decoded(tf, x, *types, **options):
    names, kinds = types or _fields(tf)
    sizes, values = tf.io.decode_proto(x, "t.M", names, kinds, descriptor_source=_SOURCE, **options)
    return [sizes, *values]


case("DecodeProtoV2", lambda tf, x: _decoded(tf, x), const(_MESSAGES, "string"), grad=False)
case("DecodeProtoV2 wide", lambda tf, x: _decoded(tf, x, ["i", "f"], [tf.int64, tf.float64]), const(_MESSAGES[0], "string"), grad=False, modes=EAGER)
case("DecodeProtoV2 text", lambda tf, x: _decoded(tf, x, ["i", "s", "m"], [tf.int32, tf.string, tf.string], message_format="text"), const([b'i: 5 s: "q" m { i: 2 }', b""], "string"), grad=False, modes=EAGER)
case("EncodeProto", lambda tf, i: tf.io.encode_proto([[1, 2, 1, 2], [0, 1, 1, 0]], [i, [["a", "b"], ["c", ""]], [["\x08\x04"], [""]], [[1.5, 2.0], [0.0, 0.0]]], ["i", "s", "m", "f"], "t.M", descriptor_source=_SOURCE), const([[3], [4]], "int32"), grad=False, modes=EAGER)
