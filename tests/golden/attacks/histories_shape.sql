-- histories_shape: which of the known columns never change for a person
-- reads:   histories_rows
-- returns: one row
--   persons, rows, most_rows   persons, their rows, and the most rows of one
--   static_N, values_N   whether column N never changes, and how many values it has
select
    count(*) as persons,
    cast(coalesce(sum(row_count), 0) as bigint) as rows,
    max(row_count) as most_rows,
    bool_and(static_1) as static_1,
    (select count(distinct rows.at_1) from sqlanon.histories_rows as rows) as values_1,
    bool_and(static_2) as static_2,
    (select count(distinct rows.at_2) from sqlanon.histories_rows as rows) as values_2
from (
    select
        person,
        max(row_count) as row_count,
        min(text_1) = max(text_1) as static_1,
        min(text_2) = max(text_2) as static_2
    from sqlanon.histories_rows
    group by person
) as persons
