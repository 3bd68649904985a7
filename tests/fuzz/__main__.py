"""`python -m tests.fuzz`: generated plans, headers, hierarchies, literals, files and canaries."""

from __future__ import annotations

from tests.fuzz.command import main

raise SystemExit(main())
