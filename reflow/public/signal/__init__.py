# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.signal`: Fourier transforms, frames, windows."""

from reflow.api.signal.cosine import dct as dct
from reflow.api.signal.cosine import idct as idct
from reflow.api.signal.cosine import inverse_mdct as inverse_mdct
from reflow.api.signal.cosine import mdct as mdct
from reflow.api.signal.cosine import mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms
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
from reflow.api.signal.fft_nd import fftnd as fftnd
from reflow.api.signal.fft_nd import ifftnd as ifftnd
from reflow.api.signal.fft_nd import irfftnd as irfftnd
from reflow.api.signal.fft_nd import rfftnd as rfftnd
from reflow.api.signal.frames import fftshift as fftshift
from reflow.api.signal.frames import frame as frame
from reflow.api.signal.frames import hamming_window as hamming_window
from reflow.api.signal.frames import hann_window as hann_window
from reflow.api.signal.frames import ifftshift as ifftshift
from reflow.api.signal.frames import inverse_stft as inverse_stft
from reflow.api.signal.frames import inverse_stft_window_fn as inverse_stft_window_fn
from reflow.api.signal.frames import kaiser_bessel_derived_window as kaiser_bessel_derived_window
from reflow.api.signal.frames import kaiser_window as kaiser_window
from reflow.api.signal.frames import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from reflow.api.signal.frames import overlap_and_add as overlap_and_add
from reflow.api.signal.frames import stft as stft
from reflow.api.signal.frames import vorbis_window as vorbis_window
