# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
from reflow.public.__operators__ import *
