"""A pytest plugin for trials: that a test fails is all that is asked, so nothing is shrunk."""

from __future__ import annotations

import contextlib
import sys

from hypothesis import Phase, settings

from tests.selection import ORDINARY_EXAMPLES, SAME_EVERYWHERE

settings.register_profile("trial", SAME_EVERYWHERE, phases=(Phase.explicit, Phase.generate))
settings.register_profile(
    "ordinary trial", settings.get_profile("trial"), max_examples=ORDINARY_EXAMPLES
)


def forget() -> None:
    """Forget what functions have kept: it may be of another template, or of another test."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("sqlanon", "tests"):
            for each in list(vars(module).values()):
                with contextlib.suppress(AttributeError, TypeError):
                    each.cache_clear()
