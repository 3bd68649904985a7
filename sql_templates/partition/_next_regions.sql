{#- the cells of `{{ regions }}` in the regions of the next round: a last CTE, and the select -#}
{% set columns %}{% for attribute in attributes %}place_{{ attribute.number }}, {% endfor %}{% for number in carried %}value_{{ number }}, {% endfor %}{{ "person, " if unit }}{{ "deal, " if relaxed }}{{ "population_count, " if population }}{% endset %}
cut_cells as (
    -- the cells of regions that are cut, and the place of each that decides
    select
        cells.*,
        chosen_cuts.attribute_number as cut_attribute,
        chosen_cuts.level,
        chosen_cuts.cut_place,
{% if relaxed %}
        chosen_cuts.dealt_rows,
{% endif %}
        case chosen_cuts.attribute_number{% for attribute in attributes %} when {{ attribute.number }} then cells.place_{{ attribute.number }}{% endfor %} end as place
    from {{ regions }} as cells
    inner join chosen_cuts on chosen_cuts.region = cells.region
),
{% if relaxed %}
halved_cells as (
    select
        *,
        case
            when place < cut_place then row_count
            when place > cut_place then 0
            else greatest(0, least(row_count, dealt_rows + row_count - sum(row_count) over (
                partition by region, place order by deal
            )))
        end as left_rows
    from cut_cells
),
{% endif %}
sided_cells as (
    select
        cut_cells.round + 1 as round,
        cut_cells.region as parent,
        cut_cells.cut_attribute as attribute_number,
{% set open %}{{ "coalesce(children.first_place, " if trees }}{% endset %}
{% set close %}{{ ")" if trees }}{% endset %}
{% if relaxed %}
        {{ open | replace("first", "first") }}case when halves.side = 0 then 0 else cut_cells.cut_place end{{ close }} as first_place,
        {{ open | replace("first", "last") }}case when halves.side = 0 then cut_cells.cut_place else {{ no_end }} end{{ close }} as last_place,
        {{ columns }}cast(case
            when cut_cells.cut_place is null then cut_cells.row_count
            when halves.side = 0 then cut_cells.left_rows
            else cut_cells.row_count - cut_cells.left_rows
        end as bigint) as row_count
    from halved_cells as cut_cells
    inner join (values (0), (1)) as halves (side)
        on halves.side = 0 and (cut_cells.cut_place is null or cut_cells.left_rows > 0)
        or halves.side = 1 and cut_cells.left_rows < cut_cells.row_count
{% else %}
        {{ open }}case when cut_cells.place <= cut_cells.cut_place then 0 else cut_cells.cut_place + 1 end{{ close }} as first_place,
        {{ open | replace("first", "last") }}case when cut_cells.place <= cut_cells.cut_place then cut_cells.cut_place else {{ no_end }} end{{ close }} as last_place,
        {{ columns | replace("place_", "cut_cells.place_") }}cut_cells.row_count
    from cut_cells
{% endif %}
{% if trees %}
    left join sqlanon.label_places as children
        on children.attribute_number = cut_cells.cut_attribute
        and children.place = cut_cells.place
        and children.level = cut_cells.level
{% endif %}
)
select
    round,
    cast(dense_rank() over (order by parent, first_place, last_place) as integer) as region,
    parent,
    attribute_number,
    cast(first_place as integer) as first_place,
    cast(last_place as integer) as last_place,
    {{ columns }}row_count
from sided_cells
