"""Puts the proven rows in their place, and writes the manifest."""
