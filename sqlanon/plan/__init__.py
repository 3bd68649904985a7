"""The plan: its keys, its file, and the checks of what it asks for."""
