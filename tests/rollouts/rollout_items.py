"""Items of several packages, and stores in a form that can be compared."""

import contextlib
import time

import zstandard

from coworkgym import packages


def mixed(count, level="warmup", start=0):
    """Items of all packages in turn; every one has a seed of its own."""
    each = list(packages())
    return [each[n % len(each)].item(seed=start + n, level=level) for n in range(count)]


def lines_of(folder):
    """The lines of a store in the order of their ids: what two runs have in common."""
    plain = folder / "episodes.jsonl"
    if plain.exists():
        data = plain.read_bytes()
    else:
        with (folder / "episodes.jsonl.zst").open("rb") as file:
            reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
            data = reader.read()
    assert data.endswith(b"\n")
    return sorted(data.splitlines(), key=lambda line: line.split(b'"id":')[1])


def wait_for(what, seconds=20.0):
    """Waits until something is so."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def children(pid):
    """Ids of the processes below one, theirs included."""
    found = []
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            for child in map(int, file.read().split()):
                found += [child, *children(child)]
    return found
