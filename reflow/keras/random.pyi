# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
from typing import Any

from keras._tf_keras.keras.random import *

def __getattr__(name: str) -> Any: ...
