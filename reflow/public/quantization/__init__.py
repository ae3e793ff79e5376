# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.quantization`: quantized numbers."""

from reflow.api.quantization import dequantize as dequantize
from reflow.api.quantization import fake_quant_with_min_max_args as fake_quant_with_min_max_args
from reflow.api.quantization import fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient
from reflow.api.quantization import fake_quant_with_min_max_vars as fake_quant_with_min_max_vars
from reflow.api.quantization import fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient
from reflow.api.quantization import fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel
from reflow.api.quantization import (
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
)
from reflow.api.quantization import quantize as quantize
from reflow.api.quantization import quantize_and_dequantize as quantize_and_dequantize
from reflow.api.quantization import quantize_and_dequantize_v2 as quantize_and_dequantize_v2
from reflow.api.quantization import quantized_concat as quantized_concat
