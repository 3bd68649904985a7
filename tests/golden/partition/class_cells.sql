-- class_cells: the cells of the classes, which are the regions that are not cut again
-- reads:   regions
-- returns: one row per class and cell
--   class   number of the class, from 1
select
    cast(
        dense_rank() over (order by regions.round, regions.region) as integer
    ) as class,
    regions.place_of_the_age, regions.place_of_born, regions.place_of_town,
    regions.place_of_select, regions.row_count,
    regions.round,
    regions.region
from sqlanon.regions
left join (
    select distinct round - 1 as round, parent as region
    from sqlanon.regions
) as cut_regions
    on cut_regions.round = regions.round
    and cut_regions.region = regions.region
where cut_regions.region is null
