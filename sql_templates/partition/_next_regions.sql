{#- the cells of `{{ regions }}` in the regions of the next round: the last CTEs, and the select -#}
{% import "partition/_columns.sql" as columns with context %}
{% macro side(end, left, right) %}
{% if trees %}
coalesce(
    children.{{ end }},
    case
        when {{ "halves.side = 0" if relaxed else "cut_cells.place <= cut_cells.cut_place" }} then {{ left }}
        else {{ right }}
    end
)
{%- else %}
case
    when {{ "halves.side = 0" if relaxed else "cut_cells.place <= cut_cells.cut_place" }} then {{ left }}
    else {{ right }}
end
{%- endif %}
{% endmacro %}
cut_cells as (
    -- one row per cell of a region that is cut: the cut, and the place that decides
    -- on which side the cell is
    select
        cells.*,
        chosen_cuts.attribute_number as cut_attribute,
{% if trees %}
        chosen_cuts.level,
{% endif %}
        chosen_cuts.cut_place,
{% if relaxed %}
        chosen_cuts.dealt_rows,
{% endif %}
        case chosen_cuts.attribute_number
{% for attribute in attributes %}
            when {{ attribute.number }} then cells.{{ attribute.place | ident }}
{% endfor %}
        end as place
    from {{ regions }} as cells
    inner join chosen_cuts on chosen_cuts.region = cells.region
),
{% if relaxed %}
halved_cells as (
    -- the same rows: how many of the cell's rows go to the left side
    select
        *,
        case
            when place < cut_place then row_count
            when place > cut_place then 0
            else greatest(
                0,
                least(
                    row_count,
                    dealt_rows + row_count
                        - sum(row_count) over (partition by region, place order by deal)
                )
            )
        end as left_rows
    from cut_cells
),
{% endif %}
sided_cells as (
    -- one row per cell and side: the cell in its new region, given by parent and places
    select
        cut_cells.round + 1 as round,
        cut_cells.region as parent,
        cut_cells.cut_attribute as attribute_number,
{% if relaxed %}
        {{ side("first_place", "0", "cut_cells.cut_place") | indent(8) }} as first_place,
        {{ side("last_place", "cut_cells.cut_place", no_end) | indent(8) }} as last_place,
        {{ columns.cell("cast(", "cut_cells.", relaxed) | indent(8) }}
            case
                when cut_cells.cut_place is null then cut_cells.row_count
                when halves.side = 0 then cut_cells.left_rows
                else cut_cells.row_count - cut_cells.left_rows
            end as bigint
        ) as row_count
    from halved_cells as cut_cells
    inner join (values (0), (1)) as halves (side)
        on halves.side = 0 and (cut_cells.cut_place is null or cut_cells.left_rows > 0)
        or halves.side = 1
            and cut_cells.cut_place is not null
            and cut_cells.left_rows < cut_cells.row_count
{% else %}
        {{ side("first_place", "0", "cut_cells.cut_place + 1") | indent(8) }} as first_place,
        {{ side("last_place", "cut_cells.cut_place", no_end) | indent(8) }} as last_place,
        {{ columns.cell("cut_cells.row_count", "cut_cells.", relaxed) | indent(8) }}
    from cut_cells
{% endif %}
{% if trees %}
    left join sqlanon.label_places as children
        on children.attribute_number = cut_cells.cut_attribute
        and children.place = cut_cells.place
        and children.level = cut_cells.level
{% endif %}
),
new_regions as (
    -- one row per region of the next round: its number
    select
        parent, first_place, last_place,
        row_number() over (order by parent, first_place, last_place) as region
    from (select distinct parent, first_place, last_place from sided_cells) as sides
)
select
    sided_cells.round,
    cast(new_regions.region as integer) as region,
    sided_cells.parent,
    sided_cells.attribute_number,
    cast(sided_cells.first_place as integer) as first_place,
    cast(sided_cells.last_place as integer) as last_place,
    {{ columns.cell("sided_cells.row_count", "sided_cells.", relaxed) | indent(4) }}
from sided_cells
inner join new_regions
    on new_regions.parent = sided_cells.parent
    and new_regions.first_place = sided_cells.first_place
    and new_regions.last_place = sided_cells.last_place
