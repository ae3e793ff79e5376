"""Field descriptors have labels, whatever the version of protobuf."""

from tensorboard.compat.proto.graph_pb2 import GraphDef

from reflow.drop_in import field_labels


def test_labels_are_numbers_of_the_proto():
    field_labels.add_to(GraphDef)
    fields = GraphDef.DESCRIPTOR.fields_by_name
    assert fields["node"].label == fields["node"].LABEL_REPEATED and fields["library"].label == fields["library"].LABEL_OPTIONAL
