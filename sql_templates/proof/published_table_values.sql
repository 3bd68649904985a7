{#- inputs: column CountedColumn, unit str | None -#}
-- {{ column.named("published_table_values") }}: the values of {{ column.name | comment }} in the publication
-- reads:   published_combinations, {{ column.named("table_values") }}
-- returns: one row per published value
--   row_count, table_size   {{ "persons" if unit else "rows" }} with the value, and of the publication
{% set members = "count(distinct combinations.person)" if unit else "cast(sum(combinations.row_count) as bigint)" %}
select
    table_values.value,
    table_values.text,
    table_values.number,
    table_values.place,
    {{ members }} as row_count,
    min(table_sizes.table_size) as table_size
from sqlanon.published_combinations as combinations
inner join sqlanon.{{ column.named("table_values") }} as table_values
    on table_values.text is not distinct from combinations.{{ column.named("text") }}
cross join (
    select {{ members }} as table_size
    from sqlanon.published_combinations as combinations
) as table_sizes
group by table_values.value, table_values.text, table_values.number, table_values.place
