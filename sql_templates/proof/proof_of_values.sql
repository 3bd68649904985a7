{#- inputs: column CountedColumn -#}
-- {{ column.named("proof_of_values") }}: every published {{ column.name | comment }} is a value that the promises counted
-- reads:   published_combinations, {{ column.named("table_values") }}
-- returns: one row if a value is not
select cast(sum(combinations.row_count) as bigint) as unknown_rows
from sqlanon.published_combinations as combinations
left join sqlanon.{{ column.named("table_values") }} as table_values
    on table_values.text is not distinct from combinations.{{ column.named("text") }}
where table_values.value is null
having count(*) > 0
