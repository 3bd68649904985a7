{#- inputs: number int, attribute str -#}
-- proof_of_values_{{ number }}: every published {{ attribute | comment }} is a value that the promises were made for
-- reads:   published_rows, table_values_{{ number }}
-- returns: one row if some are not
select count(*) as unknown_rows
from sqlanon.published_rows as published_rows
left join sqlanon.table_values_{{ number }} as table_values
    on table_values.text is not distinct from cast(published_rows.{{ attribute | ident }} as varchar)
where table_values.value is null
having count(*) > 0
