"""Puts the proven rows into their final place, and writes the manifest."""
