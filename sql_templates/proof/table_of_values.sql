{#- inputs: columns list[tuple[str, dict[str, str]]], strata bool -#}
-- source_values: every value that a promise{{ " or a stratum" if strata }} reads, as text; without a source, the classes are
--   compared with the published table itself
-- reads:   the relations named below
-- returns: one row per attribute and value
{% for name, counts in columns %}
{{ "union all " if not loop.first }}select
    {{ name | text }} as attribute, value, cast(sum(row_count) as bigint) as row_count
from (
{% for relation, count in counts.items() %}
    {{ "union all " if not loop.first }}select cast({{ name | ident }} as varchar) as value, {{ count }} as row_count
    from {{ relation }} as read_rows
    group by cast({{ name | ident }} as varchar)
{% endfor %}
) as counted_values
group by value
{% endfor %}
