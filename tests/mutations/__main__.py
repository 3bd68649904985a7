"""`python -m tests.mutations`: every deliberate breakage must turn a named test red."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest does

from mutations.command import main

raise SystemExit(main())
