"""Runs of one plan with other parameters or methods, side by side."""
