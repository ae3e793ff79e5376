"""Steps of optimizers on variables. They run at once only; their traced forms are tested where state is."""
# ruff: noqa: E501 - a case is one line

from tests.ops.inputs import normal, positive
from tests.ops.table import EAGER, case, raw

#: values of the scalar operands
SCALARS = {
    "lr": 0.1, "alpha": 0.2, "rho": 0.9, "momentum": 0.8, "epsilon": 1e-3, "beta": 0.9, "beta1": 0.9, "beta2": 0.99, "beta1_power": 0.81,
    "beta2_power": 0.98, "l1": 0.05, "l2": 0.1, "l2_shrinkage": 0.02, "lr_power": -0.5, "logbase": 1.0, "sign_decay": 0.9,
}  # fmt: skip
#: the variables of each optimizer beside `var`; those whose squares are summed up must be positive
SLOTS = {
    "AdaMax": "m v", "Adadelta": "accum accum_update", "Adagrad": "accum", "AdagradDA": "gradient_accumulator gradient_squared_accumulator",
    "AdagradV2": "accum", "Adam": "m v", "AdamWithAmsgrad": "m v vhat", "AddSign": "m", "CenteredRMSProp": "mg ms mom", "Ftrl": "accum linear",
    "FtrlV2": "accum linear", "GradientDescent": "", "KerasMomentum": "accum", "Momentum": "accum", "PowerSign": "m", "ProximalAdagrad": "accum",
    "ProximalGradientDescent": "", "RMSProp": "ms mom",
}  # fmt: skip
OPERANDS = {
    "AdaMax": "beta1_power lr beta1 beta2 epsilon", "Adadelta": "lr rho epsilon", "Adagrad": "lr", "AdagradDA": "lr l1 l2", "AdagradV2": "lr epsilon",
    "Adam": "beta1_power beta2_power lr beta1 beta2 epsilon", "AdamWithAmsgrad": "beta1_power beta2_power lr beta1 beta2 epsilon",
    "AddSign": "lr alpha sign_decay beta", "CenteredRMSProp": "lr rho momentum epsilon", "Ftrl": "lr l1 l2 lr_power",
    "FtrlV2": "lr l1 l2 l2_shrinkage lr_power", "GradientDescent": "alpha", "KerasMomentum": "lr momentum", "Momentum": "lr momentum",
    "PowerSign": "lr logbase sign_decay beta", "ProximalAdagrad": "lr l1 l2", "ProximalGradientDescent": "alpha l1 l2", "RMSProp": "lr rho momentum epsilon",
}  # fmt: skip
ROWS = ("Adadelta", "Adagrad", "AdagradDA", "AdagradV2", "CenteredRMSProp", "Ftrl", "FtrlV2", "KerasMomentum", "Momentum", "ProximalAdagrad",
        "ProximalGradientDescent", "RMSProp")  # fmt: skip
#: further attributes worth a case
FORMS = {
    "Adam": {"use_nesterov": True}, "Momentum": {"use_nesterov": True}, "KerasMomentum": {"use_nesterov": True}, "Adagrad": {"update_slots": False},
    "Ftrl": {"multiply_linear_by_lr": True}, "FtrlV2": {"multiply_linear_by_lr": True},
}  # fmt: skip


def _step(op, optimizer, indices=None, **attrs):
    def expression(tf, var, grad, squares, gradient_squares):
        positive_slots = {"accum", "accum_update", "v", "vhat", "ms", "gradient_squared_accumulator"}
        variables = {"var": tf.Variable(var)}
        for slot in SLOTS[optimizer].split():
            variables[slot] = tf.Variable(squares + gradient_squares if slot in positive_slots else grad * 0.1)
        operands = {name: tf.constant(SCALARS[name], var.dtype) for name in OPERANDS[optimizer].split()}
        if optimizer == "AdagradDA":
            operands["global_step"] = tf.constant(3, tf.int64)
        if indices is not None:
            operands |= {"grad": tf.gather(grad, indices), "indices": tf.constant(indices)}
        else:
            operands["delta" if "GradientDescent" in optimizer else "grad"] = grad
        raw(tf, op, **{name: v.handle for name, v in variables.items()}, **operands, **attrs)
        return [v.read_value() for v in variables.values()]

    return expression


INPUTS = normal(3, 2), normal(3, 2), positive(3, 2), positive(3, 2)
for _optimizer in SLOTS:
    _op = f"ResourceApply{_optimizer}"
    case(_op, _step(_op, _optimizer), *INPUTS, dtypes=("float32", "float64"), modes=EAGER, grad=False)
    if _optimizer in FORMS:
        case(f"{_op} form", _step(_op, _optimizer, **FORMS[_optimizer]), *INPUTS, modes=EAGER, grad=False)
for _optimizer in ROWS:
    _op = f"ResourceSparseApply{_optimizer}"
    case(_op, _step(_op, _optimizer, [2, 0]), *INPUTS, modes=EAGER, grad=False)
    case(f"{_op} twice", _step(_op, _optimizer, [1, 1, 2]), *INPUTS, modes=EAGER, grad=False)
    if _optimizer in FORMS:
        case(f"{_op} form", _step(_op, _optimizer, [0, 1], **FORMS[_optimizer]), *INPUTS, modes=EAGER, grad=False)
