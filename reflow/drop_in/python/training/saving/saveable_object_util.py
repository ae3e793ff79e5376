"""`tensorflow.python.training.saving.saveable_object_util`: between saveable objects and what checkpoints save."""

from reflow.devices.names import DeviceSpec
from reflow.tracking.trackable import Trackable, gathers_saveables, has_values
from reflow.train import gathering, saveables
from reflow.train.saveables import SaveableObject, SaveSpec, all_saveables, saveables_of
from reflow.train.saveables import by_name as op_list_to_dict  # noqa: F401 - its name here


def set_cpu0(device_string):
    """A device's name with the host of the same task in place of the device."""
    parsed = DeviceSpec.from_string(device_string or "")
    return parsed.replace(device_type="CPU", device_index=0).to_string()


def saveable_objects_for_op(op, name):
    """The saveable objects of a variable, a list of parts, or an object."""
    if not isinstance(name, str):
        raise TypeError(
            "names_to_saveables must be a dict mapping string names to trackable operations. Name is not a string: "
            + str(name)
        )
    yield from saveables_of(op, name)


def validate_and_slice_inputs(names_to_saveables):
    """The saveable objects of everything that is to be saved, by name or in a list."""
    named = names_to_saveables if isinstance(names_to_saveables, dict) else op_list_to_dict(names_to_saveables)
    return all_saveables(named)


def trackable_has_serialize_to_tensor(obj):
    """Whether an object gives its values as tensors, and not by saveable objects."""
    if gathers_saveables(obj):
        return False
    return isinstance(obj, Trackable) and has_values(obj)


def saveable_objects_from_trackable(obj, tf1_saver=False):
    """Functions that make the saveable objects of an object, by the names of its attributes."""
    if isinstance(obj, SaveableObject):
        return {obj.name: lambda name: obj}
    if gathers_saveables(obj):
        return obj._gather_saveables_for_checkpoint()
    if not trackable_has_serialize_to_tensor(obj):
        return {}
    return {gathering.get_saveable_name(obj) or "": lambda name: saveables.TrackableSaveable(obj, name)}


class SaveableCompatibilityConverter(Trackable):
    """An object that is saved by saveable objects, as one that gives and takes tensors."""

    def __init__(self, obj, saveables):
        self._obj, self._saveables = obj, saveables

    obj = property(lambda self: self._obj)
    saveables = property(lambda self: self._saveables)

    def _serialize_to_tensors(self):
        tensors: dict = {}
        for spec in (spec for saveable in self._saveables for spec in saveable.specs):
            if spec.slice_spec:
                tensors.setdefault(spec.name, {})[spec.slice_spec] = spec
            else:
                tensors[spec.name] = spec
        return {name: value.tensor if isinstance(value, SaveSpec) else value for name, value in tensors.items()}

    def _restore_from_tensors(self, restored_tensors):
        wanted = {spec.name for saveable in self._saveables for spec in saveable.specs}
        if wanted != set(restored_tensors):
            raise ValueError(
                f"Could not restore object {self._obj} because not all expected tensors were in the checkpoint.\n"
                f"\tExpected: {sorted(wanted)}\n\tGot: {list(restored_tensors)}"
            )
        done = None
        for saveable in self._saveables:
            given = [restored_tensors[spec.name] for spec in saveable.specs]
            parts = [
                tensor[spec.slice_spec] if isinstance(tensor, dict) else tensor
                for tensor, spec in zip(given, saveable.specs, strict=True)
            ]
            done = saveable.restore(parts, restored_shapes=None)
        return done
