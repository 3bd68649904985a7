{#- inputs: number int, attribute str, unit str | None -#}
-- published_table_values_{{ number }}: the values of {{ attribute | comment }} in the publication
-- reads:   published_rows, table_values_{{ number }}
-- returns: one row per published value
select
    table_values.value,
    table_values.text,
    table_values.number,
    table_values.place,
    {{ "count(distinct published_rows." ~ (unit | ident) ~ ")" if unit else "count(*)" }} as row_count
from sqlanon.published_rows as published_rows
inner join sqlanon.table_values_{{ number }} as table_values
    on table_values.text is not distinct from cast(published_rows.{{ attribute | ident }} as varchar)
group by table_values.value, table_values.text, table_values.number, table_values.place
