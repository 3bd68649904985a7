"""The plan: what to publish, what identifies people, and what must hold. Parameters only.

`sqlanon.plan.file` reads a plan from YAML; everything after it receives the frozen `Plan` of this
module. The same classes produce the JSON Schema that editors check plans with.
"""

from __future__ import annotations

from sqlanon.plan.draft import Draft


class Plan(Draft):
    """A whole plan; the fields are the keys of the YAML file."""
