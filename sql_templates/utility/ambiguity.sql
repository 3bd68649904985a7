{#- inputs: row_count int, words int, classes str -#}
-- ambiguity: original combinations that a published row may stand for (Nergiz and Clifton 2007)
-- reads:   {{ classes }}, node_levels, level_codes, generalized_values
-- returns: one row per node
--   cost   mean over rows of the product of the leaf counts of the row's labels in their
--          hierarchies; all labels of a suppressed row count as '*'   [combinations]
with cells as (
{% filter indent(4, first=true) %}{% set suppressed_only = false %}{% include "utility/_cells.sql" %}{% endfilter %}

),
domains as (
    select attribute, sum(leaf_count) as leaf_count
    from sqlanon.generalized_values
    where level = 0
    group by attribute
),
whole_domain as (
    select floor(exp(sum(ln(leaf_count) order by attribute)) + 0.5) as combinations
    from domains
),
class_domains as (
    -- a product of integers, computed by logarithms and rounded to an integer
    select
        node,
{% for word in range(1, words + 1) %}
        class_{{ word }},
{% endfor %}
        min(class_size) as class_size,
        published,
        floor(exp(sum(ln(leaf_count) order by attribute)) + 0.5) as combinations
    from cells
    group by
        node{% for word in range(1, words + 1) %}, class_{{ word }}{% endfor %}, published
)
select
    class_domains.node,
    sum(class_domains.class_size * case
        when class_domains.published then class_domains.combinations
        else whole_domain.combinations
    end) / {{ row_count | number }} as cost,
    sum(class_domains.class_size * class_domains.combinations) / {{ row_count | number }}
        as lower_bound
from class_domains
cross join whole_domain
group by class_domains.node
