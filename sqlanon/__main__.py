"""`python -m sqlanon`."""

from sqlanon.cli import main

main()
