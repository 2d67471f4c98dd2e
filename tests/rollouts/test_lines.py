"""Lines: whole or not at all, and nothing hidden behind a broken one."""

import errno
import os
import warnings

import pytest

from coworkgym.rollouts.lines import LineWriter, StoreError, read_lines, set_aside

LINES = [b'{"n":1,"text":"one \xe2\x80\xa8 two"}', '{"n":2,"text":"Zoë 🚀"}'.encode(), b'{"n":3}']
NAMES = ["some.jsonl", "some.jsonl.zst"]


@pytest.fixture(params=NAMES)
def path(request, tmp_path):
    if request.param.endswith(".zst"):
        pytest.importorskip("zstandard")
    return tmp_path / request.param


def write(path, lines):
    writer = LineWriter(path)
    for line in lines:
        writer.add(line)
    writer.close()


def numbers(path):
    return [data["n"] for _, data in read_lines(path)]


def test_lines_are_read_back_with_their_numbers(path):
    write(path, LINES[:2])
    write(path, LINES[2:])
    assert [number for number, _ in read_lines(path)] == numbers(path) == [1, 2, 3]


def test_a_file_that_is_not_there_has_no_lines(path):
    set_aside(path, path.with_name("aside"))
    assert numbers(path) == []
    assert list(path.parent.iterdir()) == []


def test_a_cut_at_any_byte_loses_only_what_it_cuts(path):
    """Reading warns; writing on sets the rest aside, and every line is there once."""
    write(path, LINES)
    whole = path.read_bytes()
    ends = [0]
    for count in (1, 2, 3):
        path.unlink()
        write(path, LINES[:count])
        ends.append(path.stat().st_size)
    aside = path.with_name("aside")
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        left = sum(end <= cut for end in ends) - 1
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert numbers(path) == [1, 2, 3][:left]
        assert len(caught) == (cut not in ends), f"cut at byte {cut}"
        aside.unlink(missing_ok=True)
        set_aside(path, aside)
        assert path.read_bytes() == whole[: ends[left]]
        assert aside.exists() == (cut not in ends)
        if aside.exists():
            assert aside.read_bytes() == whole[ends[left] : cut] + b"\n"
        write(path, LINES[left:])
        assert numbers(path) == [1, 2, 3]


def test_a_cut_line_longer_than_a_block_is_set_aside(tmp_path):
    path = tmp_path / "some.jsonl"
    write(path, LINES[:1])
    for rest in (b"x" * 200_000, b"x" * 65_535, b"x" * 65_536):
        path.write_bytes(LINES[0] + b"\n" + rest)
        set_aside(path, tmp_path / "aside")
        assert numbers(path) == [1]
    path.write_bytes(b"x" * 200_000)
    set_aside(path, tmp_path / "aside")
    assert path.read_bytes() == b""


@pytest.mark.parametrize("broken", [b"{", b"[1]", b"\xff", b'"text"', b"", b"[" * 100_000])
def test_a_broken_line_is_named(path, broken):
    write(path, [LINES[0], broken, LINES[2]])
    with pytest.raises(StoreError, match=f"{path.name}:2: not (a )?JSON"):
        numbers(path)


def test_broken_compressed_data_is_named_and_nothing_is_thrown_away(tmp_path):
    pytest.importorskip("zstandard")
    path = tmp_path / "some.jsonl.zst"
    write(path, LINES)
    data = bytearray(path.read_bytes())
    data[0] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"some\.jsonl\.zst: byte 0: broken"):
        numbers(path)
    with pytest.raises(StoreError, match="broken"):
        set_aside(path, tmp_path / "aside")
    assert path.read_bytes() == data


def test_frames_of_other_tools_are_read_too(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    path = tmp_path / "some.jsonl.zst"
    text = b"".join(line + b"\n" for line in LINES)
    compress = zstandard.ZstdCompressor().compress
    path.write_bytes(compress(text[:20]) + compress(text[20:]) + compress(b""))
    assert numbers(path) == [1, 2, 3]


def test_a_write_that_fails_leaves_nothing_of_its_line(path, monkeypatch):
    writer = LineWriter(path)
    writer.add(LINES[0])
    written = os.write

    def full(file, data):
        if len(data) > 7:
            return written(file, data[:7])
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr("coworkgym.rollouts.lines.os.write", full)
    with pytest.raises(OSError, match="no space"):
        writer.add(LINES[1])
    monkeypatch.undo()
    writer.add(LINES[2])
    writer.close()
    assert numbers(path) == [1, 3]
