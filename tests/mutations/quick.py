"""A pytest plugin for trials: that a test fails is all that is asked, so nothing is shrunk."""

from __future__ import annotations

from hypothesis import Phase, settings

from tests.selection import ORDINARY_EXAMPLES

settings.register_profile(
    "trial", phases=(Phase.explicit, Phase.generate), database=None, deadline=None, derandomize=True
)
settings.register_profile(
    "ordinary trial", settings.get_profile("trial"), max_examples=ORDINARY_EXAMPLES
)
