"""Messages that are declared here, with TensorFlow's field numbers."""

from reflow.train.protos import BundleEntryProto, BundleHeaderProto, CheckpointState


def test_the_header_of_a_bundle():
    header = BundleHeaderProto(num_shards=1)
    header.version.producer = 1
    assert header.SerializeToString() == b"\x08\x01\x1a\x02\x08\x01"  # as in every index that TensorFlow writes


def test_an_entry():
    entry = BundleEntryProto(dtype=1, offset=4, size=8, crc32c=7)
    entry.shape.dim.add(size=2)
    again = BundleEntryProto.FromString(entry.SerializeToString())
    assert (again.dtype, again.shape.dim[0].size, again.offset, again.size, again.crc32c) == (1, 2, 4, 8, 7)
    assert entry.SerializeToString() == b"\x08\x01\x12\x04\x12\x02\x08\x02\x20\x04\x28\x08\x35\x07\0\0\0"


def test_the_state_of_a_folder():
    state = CheckpointState(
        model_checkpoint_path="a", all_model_checkpoint_paths=["a", "b"], last_preserved_timestamp=1.5
    )
    assert CheckpointState.FromString(state.SerializeToString()) == state
