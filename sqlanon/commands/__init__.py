"""One module per command; each calls the stages in order."""
