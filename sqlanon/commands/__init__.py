"""One module a command; each calls the stages in their order."""
