# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.layers`."""

from reflow.compat.layers.base import Layer as Layer
from reflow.compat.layers.core import BatchNormalization as BatchNormalization
from reflow.compat.layers.core import Dense as Dense
from reflow.compat.layers.core import Dropout as Dropout
from reflow.compat.layers.core import Flatten as Flatten
from reflow.compat.layers.core import batch_normalization as batch_normalization
from reflow.compat.layers.core import dense as dense
from reflow.compat.layers.core import dropout as dropout
from reflow.compat.layers.core import flatten as flatten
from reflow.compat.layers.windows import AveragePooling1D as AveragePooling1D
from reflow.compat.layers.windows import AveragePooling2D as AveragePooling2D
from reflow.compat.layers.windows import AveragePooling3D as AveragePooling3D
from reflow.compat.layers.windows import Conv1D as Conv1D
from reflow.compat.layers.windows import Conv2D as Conv2D
from reflow.compat.layers.windows import Conv2DTranspose as Conv2DTranspose
from reflow.compat.layers.windows import Conv3D as Conv3D
from reflow.compat.layers.windows import Conv3DTranspose as Conv3DTranspose
from reflow.compat.layers.windows import MaxPooling1D as MaxPooling1D
from reflow.compat.layers.windows import MaxPooling2D as MaxPooling2D
from reflow.compat.layers.windows import MaxPooling3D as MaxPooling3D
from reflow.compat.layers.windows import SeparableConv2D as SeparableConv2D
from reflow.compat.layers.windows import average_pooling1d as average_pooling1d
from reflow.compat.layers.windows import average_pooling2d as average_pooling2d
from reflow.compat.layers.windows import average_pooling3d as average_pooling3d
from reflow.compat.layers.windows import conv1d as conv1d
from reflow.compat.layers.windows import conv2d as conv2d
from reflow.compat.layers.windows import conv2d_transpose as conv2d_transpose
from reflow.compat.layers.windows import conv3d as conv3d
from reflow.compat.layers.windows import conv3d_transpose as conv3d_transpose
from reflow.compat.layers.windows import max_pooling1d as max_pooling1d
from reflow.compat.layers.windows import max_pooling2d as max_pooling2d
from reflow.compat.layers.windows import max_pooling3d as max_pooling3d
from reflow.compat.layers.windows import separable_conv2d as separable_conv2d
