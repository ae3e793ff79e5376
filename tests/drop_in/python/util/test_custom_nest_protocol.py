"""Data classes that are structures."""

import dataclasses

from reflow.drop_in.python.util.custom_nest_protocol import CustomNestProtocol


@dataclasses.dataclass
class Masked:
    mask: bool
    value: int

    def __tf_flatten__(self):
        return (self.mask,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(*metadata, *components)


def test_which_objects_have_the_methods():
    assert isinstance(Masked(True, 1), CustomNestProtocol)
    assert not isinstance([1], CustomNestProtocol)
