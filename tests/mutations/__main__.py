"""`python -m tests.mutations`: every deliberate breakage must turn a named test red."""

from __future__ import annotations

from tests.mutations.command import main

raise SystemExit(main())
