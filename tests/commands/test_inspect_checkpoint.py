"""`reflow inspect-checkpoint` prints what a checkpoint holds."""

from reflow.commands import inspect_checkpoint
from tools.golden import version_one

PREFIX = str(version_one.GOLDEN / "whole-1")


def test_names_types_and_values(capsys):
    assert inspect_checkpoint.main([PREFIX]) == 0
    assert capsys.readouterr().out == "global_step (DT_INT64) []\nw (DT_FLOAT) [2]\n# Total number of params: 3\n"
    assert (
        inspect_checkpoint.main(["--file_name", PREFIX, "--tensor_name", "w", "--count_exclude_pattern", "step"]) == 0
    )
    assert capsys.readouterr().out == "tensor: w (float32) [2]\n[2.5 2.5]\n# Total number of params: 2\n"
    assert inspect_checkpoint.main([PREFIX, "--all_tensor_names"]) == 0
    assert inspect_checkpoint.main([PREFIX, "--tensor_name", "x"]) == 1
    assert inspect_checkpoint.main([PREFIX + "0"]) == 1
