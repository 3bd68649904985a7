"""The proofs: what published rows hold, measured from themselves."""
