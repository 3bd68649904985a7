{#- inputs: rule dict[ranges list[list[tuple[Decimal | None, str]]]], values str #}
    -- groups of values of the source, which begin at lines of a grid
{% include "hierarchies/cut_points.sql" %}
