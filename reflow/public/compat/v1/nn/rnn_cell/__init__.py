# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.nn.rnn_cell`."""

from reflow.compat.rnn.cells import BasicLSTMCell as BasicLSTMCell
from reflow.compat.rnn.cells import BasicRNNCell as BasicRNNCell
from reflow.compat.rnn.cells import GRUCell as GRUCell
from reflow.compat.rnn.cells import LSTMCell as LSTMCell
from reflow.compat.rnn.cells import LSTMStateTuple as LSTMStateTuple
from reflow.compat.rnn.cells import MultiRNNCell as MultiRNNCell
from reflow.compat.rnn.cells import RNNCell as RNNCell
from reflow.compat.rnn.wrappers import DeviceWrapper as DeviceWrapper
from reflow.compat.rnn.wrappers import DropoutWrapper as DropoutWrapper
from reflow.compat.rnn.wrappers import ResidualWrapper as ResidualWrapper
