{#- inputs: number int, attribute str -#}
-- proof_of_values_{{ number }}: every published {{ attribute | comment }} is a value that the promises counted
-- reads:   published_combinations, table_values_{{ number }}
-- returns: one row if a value is not
select cast(sum(combinations.row_count) as bigint) as unknown_rows
from sqlanon.published_combinations as combinations
left join sqlanon.table_values_{{ number }} as table_values
    on table_values.text is not distinct from combinations.text_{{ number }}
where table_values.value is null
having count(*) > 0
