"""The plan: its keys, its file, and its checks."""
