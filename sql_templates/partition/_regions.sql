{% set regions = "regions" %}
regions as (
{% filter indent(4, first=true) %}{% include "partition/_first_region.sql" %}{% endfilter %}

    union all
    (
        with {% filter indent(8) %}{% include "partition/_cuts.sql" %}

{% include "partition/_next_regions.sql" %}{% endfilter %}

    )
)
