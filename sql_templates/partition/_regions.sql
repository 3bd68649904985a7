{% set regions = "regions" %}
regions as (
    -- round 0: one row per cell, all of them in one region
{% filter indent(4, first=true) %}{% include "partition/_first_region.sql" %}{% endfilter %}

    union all
    (
        -- the next round: one row per cell of a region that is cut once more
        with {% filter indent(8) %}{% include "partition/_cuts.sql" %}

{% include "partition/_next_regions.sql" %}{% endfilter %}

    )
)
