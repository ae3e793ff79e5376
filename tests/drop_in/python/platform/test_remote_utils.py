"""`reflow/drop_in/python/platform/remote_utils.py`."""

from reflow.drop_in.python.platform import remote_utils


def test_what_tensorflow_answers_outside_of_google():
    assert remote_utils.get_default_communication_protocol() == "grpc"
    assert remote_utils.get_appendable_file_encoding() == "" and not remote_utils.is_remote_path("/bigstore/x")
    assert remote_utils.coordination_service_type("grpc", x=1) is None
