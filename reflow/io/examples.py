"""`tf.train.Example` and its relatives: protobuf messages of named lists of bytes, floats or integers.

TensorBoard's copies of TensorFlow's protos lack these, so they are declared here with TensorFlow's field numbers; the
encoding is protobuf's own. The messages live in the package `reflow`, so real TensorFlow can be loaded in the same
process.

    Example          {1: Features}
    Features         {1: map<string, Feature>}
    Feature          one of {1: BytesList, 2: FloatList, 3: Int64List}, each {1: repeated value}
    SequenceExample  {1: Features context, 2: FeatureLists}, FeatureLists {1: map<string, FeatureList>}
"""

from __future__ import annotations

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from reflow.api.export import export_value

_Field = descriptor_pb2.FieldDescriptorProto


def _field(message, number: int, name: str, kind, repeated=False, **options):
    field = message.field.add(name=name, number=number)
    field.label = _Field.LABEL_REPEATED if repeated else _Field.LABEL_OPTIONAL
    if isinstance(kind, str):
        field.type, field.type_name = _Field.TYPE_MESSAGE, f".reflow.{kind}"
    else:
        field.type = kind
    for option, value in options.items():
        setattr(field, option, value)
    return field


def _map(message, number: int, name: str, value: str):
    """A `map<string, value>` field: repeated entries, as protobuf stores maps."""
    entry_name = "".join(part.title() for part in name.split("_")) + "Entry"
    entry = message.nested_type.add(name=entry_name)
    entry.options.map_entry = True
    _field(entry, 1, "key", _Field.TYPE_STRING)
    _field(entry, 2, "value", value)
    _field(message, number, name, f"{message.name}.{entry_name}", repeated=True)


def _declare() -> dict:
    file = descriptor_pb2.FileDescriptorProto(name="reflow/example.proto", package="reflow", syntax="proto3")
    lists = {
        "bytes_list": ("BytesList", _Field.TYPE_BYTES),
        "float_list": ("FloatList", _Field.TYPE_FLOAT),
        "int64_list": ("Int64List", _Field.TYPE_INT64),
    }
    for name, kind in lists.values():
        _field(file.message_type.add(name=name), 1, "value", kind, repeated=True)
    feature = file.message_type.add(name="Feature")
    feature.oneof_decl.add(name="kind")
    for number, (name, (kind, _)) in enumerate(lists.items(), 1):
        _field(feature, number, name, kind, oneof_index=0)
    _map(file.message_type.add(name="Features"), 1, "feature", "Feature")
    _field(file.message_type.add(name="Example"), 1, "features", "Features")
    _field(file.message_type.add(name="FeatureList"), 1, "feature", "Feature", repeated=True)
    _map(file.message_type.add(name="FeatureLists"), 1, "feature_list", "FeatureList")
    sequence = file.message_type.add(name="SequenceExample")
    _field(sequence, 1, "context", "Features")
    _field(sequence, 2, "feature_lists", "FeatureLists")
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(file.SerializeToString())
    return {
        m.name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"reflow.{m.name}"))
        for m in file.message_type
    }


_MESSAGES = _declare()
BytesList = export_value(_MESSAGES["BytesList"], "train.BytesList")
FloatList = export_value(_MESSAGES["FloatList"], "train.FloatList")
Int64List = export_value(_MESSAGES["Int64List"], "train.Int64List")
Feature = export_value(_MESSAGES["Feature"], "train.Feature")
Features = export_value(_MESSAGES["Features"], "train.Features")
FeatureList = export_value(_MESSAGES["FeatureList"], "train.FeatureList")
FeatureLists = export_value(_MESSAGES["FeatureLists"], "train.FeatureLists")
Example = export_value(_MESSAGES["Example"], "train.Example")
SequenceExample = export_value(_MESSAGES["SequenceExample"], "train.SequenceExample")
