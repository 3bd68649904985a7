{% set columns %}
{% for attribute in attributes %}
regions.place_{{ attribute.number }},
{% endfor %}
{% for number in carried %}
regions.value_{{ number }},
{% endfor %}
{% if unit %}
regions.person,
{% endif %}
{% if relaxed %}
regions.deal,
{% endif %}
{% if population %}
regions.population_count,
{% endif %}
regions.row_count
{%- endset %}
select
    cast(dense_rank() over (order by regions.round, regions.region) as integer) as class,
    {{ columns | indent(4) }},
    regions.round,
    regions.region
from {{ regions }} as regions
left join (
    select distinct round - 1 as round, parent as region
    from {{ regions }}
) as cut_regions
    on cut_regions.round = regions.round
    and cut_regions.region = regions.region
where cut_regions.region is null
