{% import "partition/_columns.sql" as columns with context %}
select
    cast(
        dense_rank() over (order by regions.round, regions.region) as integer
    ) as class,
    {{ columns.cell("regions.row_count", "regions.", relaxed) | indent(4) }},
    regions.round,
    regions.region
from {{ regions }}
left join (
    select distinct round - 1 as round, parent as region
    from {{ regions }}
) as cut_regions
    on cut_regions.round = regions.round
    and cut_regions.region = regions.region
where cut_regions.region is null
