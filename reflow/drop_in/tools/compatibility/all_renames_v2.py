"""`tensorflow.tools.compatibility.all_renames_v2`: names of TensorFlow 1 and what they are called in TensorFlow 2."""

from reflow.upgrade.upgrader import facts

symbol_renames = dict(facts()["symbols"])
