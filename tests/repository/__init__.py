"""Tests of the shape of the repository."""
