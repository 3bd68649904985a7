"""Faults: runs that are disturbed, and what is published afterwards."""
