"""soma.replay and its errors."""

import gzip

import pytest

import soma

TRACE = """op,id,bytes,stream,time_us
malloc,1,1000,0,1
malloc,2,2000,0,2
free,1,1000,0,3
malloc,3,1000,0,4
free,2,2000,0,5
free,3,1000,0,6
"""


def test_the_result_has_what_the_pool_needed(tmp_path):
    path = tmp_path / "trace.csv.gz"
    path.write_bytes(gzip.compress(TRACE.encode()))
    told = []
    result = soma.replay(str(path), progress=lambda done, steps: told.append((done, steps)))
    assert result["operations"] == 6
    assert result["requested_high"] == 3000
    assert result["used_high"] == 1024 + 2048
    assert result["reserved_high"] == 2 << 20
    assert result["served"]["same_stream"] == 1
    assert told and told[-1] == (6, 6)


def test_what_progress_raises_is_raised_in_the_end(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text(TRACE)
    with pytest.raises(ZeroDivisionError):
        soma.replay(str(path), progress=lambda done, steps: 1 // 0)


@pytest.mark.parametrize("text, code, message", [
    ("op,id,bytes,stream,time_us\nmalloc,1,none,0,1\n", "invalid_argument", ":2: "),
    ("op,id,bytes,stream,time_us\nfree,1,1,0,1\n", "invalid_argument", ":2: "),
    ("", "invalid_argument", "trace.csv"),
])
def test_a_broken_trace_is_an_error_with_its_line(tmp_path, text, code, message):
    path = tmp_path / "trace.csv"
    path.write_text(text)
    with pytest.raises(soma.Error) as failure:
        soma.replay(str(path))
    assert failure.value.code == code and message in failure.value.message


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(soma.Error) as failure:
        soma.replay(str(tmp_path / "none.csv"))
    assert failure.value.code == "file_not_readable"
