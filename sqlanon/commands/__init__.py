"""The functions of the commands; each calls the stages in order."""
