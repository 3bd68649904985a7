"""`python -m tests.fuzz`: generated plans, headers, hierarchies, literals, files and canaries."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest does

from fuzz.command import main

raise SystemExit(main())
