"""Examples of plans."""
