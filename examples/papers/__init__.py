"""Experiments of papers, redone."""
