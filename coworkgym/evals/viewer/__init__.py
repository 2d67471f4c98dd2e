"""The viewer: the episodes of a run as pages of a local server. Needs the extra `[eval]`."""
