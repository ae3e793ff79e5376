"""The log."""

import pytest

import reflow.engine as trt


def test_only_what_matters_enough_is_printed(capsys):
    logger = trt.Logger(trt.Logger.WARNING)
    logger.log(trt.Logger.INFO, "small talk")
    logger.log(trt.Logger.ERROR, "trouble")
    assert capsys.readouterr().err == "[Reflow engine] [E] trouble\n"


def test_a_logger_of_the_users_must_define_log():
    with pytest.raises(NotImplementedError, match="Mine must define log"):
        type("Mine", (trt.ILogger,), {})().log(trt.ILogger.INFO, "")
