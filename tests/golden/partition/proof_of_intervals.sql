-- proof_of_intervals: every value of a cell is in exactly one interval, and every interval ends
--   at a value; otherwise the source has changed since the intervals were found, and rows would
--   be lost or duplicated
-- reads:   cells, places, intervals
-- returns: one row per attribute and problem
--   affected   affected values, or intervals   [count]
with cell_places (attribute_number, place) as (
    -- one row per attribute and place that a cell has
    select distinct 1, place_of_the_age
    from sqlanon.cells
    union all
    select distinct 2, place_of_born
    from sqlanon.cells
    union all
    select distinct 3, place_of_town
    from sqlanon.cells
    union all
    select distinct 4, place_of_select
    from sqlanon.cells
),
misplaced_values as (
    -- one row per place that is not in exactly one interval
    select cell_places.attribute_number, cell_places.place
    from cell_places
    left join sqlanon.intervals
        on intervals.attribute_number = cell_places.attribute_number
        and cell_places.place between intervals.first_place and intervals.last_place
    group by cell_places.attribute_number, cell_places.place
    having count(intervals.attribute_number) <> 1
)
select attribute_number, 'value is in no interval, or in several' as problem, count(*) as affected
from misplaced_values
group by attribute_number
union all
select intervals.attribute_number, 'interval ends at no value', count(*)
from sqlanon.intervals
left join sqlanon.places as firsts
    on firsts.attribute_number = intervals.attribute_number
    and firsts.place = intervals.first_place
left join sqlanon.places as lasts
    on lasts.attribute_number = intervals.attribute_number
    and lasts.place = intervals.last_place
where firsts.place is null or lasts.place is null
group by intervals.attribute_number
