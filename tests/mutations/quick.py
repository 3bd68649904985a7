"""A pytest plugin for trials: that a test fails is all that is asked, so nothing is shrunk."""

from __future__ import annotations

from hypothesis import Phase, settings

from tests.selection import ORDINARY_EXAMPLES, SAME_EVERYWHERE

settings.register_profile("trial", SAME_EVERYWHERE, phases=(Phase.explicit, Phase.generate))
settings.register_profile(
    "ordinary trial", settings.get_profile("trial"), max_examples=ORDINARY_EXAMPLES
)
