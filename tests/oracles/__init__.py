"""Definitions in plain Python, and what tests compare with them."""
