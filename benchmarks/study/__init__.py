"""The study of what the baselines learn; see `docs/learning.md`."""
