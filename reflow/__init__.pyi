# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""TensorFlow 2, written again in readable Python on JAX and XLA."""

from keras._tf_keras import keras as keras
from keras._tf_keras.keras import initializers as initializers
from keras._tf_keras.keras import losses as losses
from keras._tf_keras.keras import metrics as metrics
from keras._tf_keras.keras import optimizers as optimizers

from reflow import datasets as datasets
from reflow.drop_in.install import install_as_tensorflow as install_as_tensorflow
from reflow.public import *
from reflow.public import __internal__ as __internal__
from reflow.public import __operators__ as __operators__
from reflow.public import audio as audio
from reflow.public import autodiff as autodiff
from reflow.public import autograph as autograph
from reflow.public import bitwise as bitwise
from reflow.public import compat as compat
from reflow.public import config as config
from reflow.public import data as data
from reflow.public import debugging as debugging
from reflow.public import distribute as distribute
from reflow.public import dtensor as dtensor
from reflow.public import dtypes as dtypes
from reflow.public import errors as errors
from reflow.public import estimator as estimator
from reflow.public import experimental as experimental
from reflow.public import feature_column as feature_column
from reflow.public import graph_util as graph_util
from reflow.public import image as image
from reflow.public import io as io
from reflow.public import linalg as linalg
from reflow.public import lookup as lookup
from reflow.public import math as math
from reflow.public import nest as nest
from reflow.public import nn as nn
from reflow.public import profiler as profiler
from reflow.public import quantization as quantization
from reflow.public import queue as queue
from reflow.public import ragged as ragged
from reflow.public import random as random
from reflow.public import saved_model as saved_model
from reflow.public import security as security
from reflow.public import sets as sets
from reflow.public import signal as signal
from reflow.public import sparse as sparse
from reflow.public import strings as strings
from reflow.public import summary as summary
from reflow.public import sysconfig as sysconfig
from reflow.public import test as test
from reflow.public import tpu as tpu
from reflow.public import train as train
from reflow.public import types as types
from reflow.public import version as version
from reflow.public import xla as xla

__version__: str
