"""Shared by the tests of rollouts: libraries that would ask the network are told not to."""

import atexit
import os
import tempfile

_cache = tempfile.TemporaryDirectory(prefix="datasets-")
atexit.register(_cache.cleanup)
os.environ["HF_HOME"] = os.environ["HF_DATASETS_CACHE"] = _cache.name  # read at import
os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"
