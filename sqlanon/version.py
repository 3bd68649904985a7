"""The version of the package, for those who need it before anything else is imported."""

from __future__ import annotations

__version__ = "0.1.0"
