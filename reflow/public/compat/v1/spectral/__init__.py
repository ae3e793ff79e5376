# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.spectral`."""

from reflow.api.signal.cosine import dct as dct
from reflow.api.signal.cosine import idct as idct
from reflow.api.signal.fft import fft as fft
from reflow.api.signal.fft import fft2d as fft2d
from reflow.api.signal.fft import fft3d as fft3d
from reflow.api.signal.fft import ifft as ifft
from reflow.api.signal.fft import ifft2d as ifft2d
from reflow.api.signal.fft import ifft3d as ifft3d
from reflow.api.signal.fft import irfft as irfft
from reflow.api.signal.fft import irfft2d as irfft2d
from reflow.api.signal.fft import irfft3d as irfft3d
from reflow.api.signal.fft import rfft as rfft
from reflow.api.signal.fft import rfft2d as rfft2d
from reflow.api.signal.fft import rfft3d as rfft3d
