"""Utility measures: what a publication loses."""
