"""What an outsider has of a publication, and attacks that are tried with it."""
