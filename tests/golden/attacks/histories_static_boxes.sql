-- histories_static_boxes: the classes by the columns that never change
-- reads:   histories_classes, histories_persons
-- returns: one row per combination of their ranges
--   extent        its number
--   persons       of its largest class
with ranges as (
    select classes.first_1, classes.last_1, max(persons.persons) as persons
    from sqlanon.histories_classes as classes
    inner join sqlanon.histories_persons as persons on persons.class = classes.class
    group by all
)
select *, row_number() over (order by first_1, last_1, persons) as extent
from ranges
