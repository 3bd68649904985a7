{#- CTEs from the open regions in `{{ regions }}` to `chosen_cuts`, one row per region that is cut -#}
{% import "_keys.sql" as keys %}
{% macro with_values(alias="") %}{% for number in cut_carried %}, {{ alias }}value_{{ number }}{% endfor %}{{ ", " ~ alias ~ "person" if unit }}{% endmacro %}
{% macro counted(alias="") %}{{ "cast(sum(" ~ alias ~ "population_count) as bigint) as population_count, " if population }}cast(sum({{ alias }}row_count) as bigint) as row_count{% endmacro %}
{% set by_value = cut_carried or unit %}
place_counts as (
    -- rows of each region by place{{ " and values" if by_value }}, attribute by attribute
{% for attribute in attributes %}
    {{ "union all " if not loop.first }}select region, {{ attribute.number }} as attribute_number, place_{{ attribute.number }} as place{{ with_values() }}, {{ counted() }} from {{ regions }} group by region, place_{{ attribute.number }}{{ with_values() }}
{% endfor %}
),
running_counts as (
    -- how many {{ "persons of the population" if by_population else "rows" }} have the place, or one up to it
    select
        region,
        attribute_number,
        place,
        sum(row_count) over places as rows_so_far,
        sum(row_count) over places - row_count as rows_before,
{% if cut == "median-both" %}
        sum(row_count) over (places rows between unbounded preceding and 1 following) as rows_with_next,
{% endif %}
        sum(row_count) over region_places as region_rows,
        min(place) over region_places as first_place,
        max(place) over region_places as last_place
{% if by_value or population %}
    from (
        select region, attribute_number, place, sum({{ "population_count" if by_population else "row_count" }}) as row_count
        from place_counts
        group by region, attribute_number, place
        having sum({{ "population_count" if by_population else "row_count" }}) > 0
    ) as counts
{% else %}
    from place_counts
{% endif %}
    window
        region_places as (partition by region, attribute_number),
        places as (partition by region, attribute_number order by place)
),
widths as (
    -- the share of an attribute's scale that a region takes up, times its weight
    select
        ends.region,
        ends.attribute_number,
        first_values.weight * coalesce(
            (last_values.position - first_values.position) / nullif(first_values.position_range, 0), 0
        ) as width,
        cast(null as integer) as level
    from running_counts as ends
    inner join sqlanon.value_places as first_values
        on first_values.attribute_number = ends.attribute_number
        and first_values.place = ends.first_place
    inner join sqlanon.value_places as last_values
        on last_values.attribute_number = ends.attribute_number
        and last_values.place = ends.last_place
    where ends.place = ends.first_place
        and ends.first_place < ends.last_place
{% if trees %}
        and ends.attribute_number not in ({{ trees | join(", ") }})
    union all
    -- of categories: what the lowest common ancestor covers; level: of the children below it
    select ends.region, ends.attribute_number, min(ancestors.width), min(ancestors.level) - 1
    from running_counts as ends
    inner join sqlanon.label_places as ancestors
        on ancestors.attribute_number = ends.attribute_number
        and ancestors.place = ends.first_place
        and ancestors.last_place >= ends.last_place
    where ends.place = ends.first_place
        and ends.first_place < ends.last_place
    group by ends.region, ends.attribute_number
{% endif %}
),
candidates as (
    -- cuts in two, numbered in the order of trying them
{% if relaxed %}
    select
        region,
        attribute_number,
        place as cut_place,
        quantiles.candidate,
        (quantiles.quarters * region_rows + 3) // 4 - rows_before as dealt_rows
    from running_counts
    inner join (values {% for quarters in relaxed_quarters %}({{ loop.index }}, {{ quarters }}){{ ", " if not loop.last }}{% endfor %}) as quantiles (candidate, quarters)
        on 4 * rows_so_far >= quantiles.quarters * region_rows
        and 4 * rows_before < quantiles.quarters * region_rows
    where first_place < last_place
        and (quantiles.quarters * region_rows + 3) // 4 < region_rows
{% else %}
    select
        region,
        attribute_number,
        place as cut_place,
        row_number() over (
            partition by region, attribute_number
{% if cut == "quantiles" %}
            order by case
                when 2 * rows_so_far >= region_rows and 2 * rows_before < region_rows then 0
                else 1
            end, place
{% else %}
            order by abs(2 * rows_so_far - region_rows), place
{% endif %}
        ) as candidate
    from running_counts
    where place < last_place
{% if cut == "median" %}
        and 2 * rows_so_far >= region_rows and 2 * rows_before < region_rows
{% elif cut == "median-both" %}
        and 2 * rows_with_next >= region_rows and 2 * rows_before < region_rows
{% elif cut == "quantiles" %}
        and (
            (4 * rows_so_far >= region_rows and 4 * rows_before < region_rows)
            or (2 * rows_so_far >= region_rows and 2 * rows_before < region_rows)
            or (4 * rows_so_far >= 3 * region_rows and 4 * rows_before < 3 * region_rows)
        )
{% endif %}
{% endif %}
{% if trees %}
        and attribute_number not in ({{ trees | join(", ") }})
{% endif %}
),
{% if relaxed %}
dealt_cells as (
    -- cells with the cut place itself, and how many of their rows go left
    select
        candidates.region,
        candidates.attribute_number,
        candidates.candidate,
        cells.deal{{ with_values("cells.") }},
        cells.row_count,
        greatest(0, least(cells.row_count, candidates.dealt_rows + cells.row_count - sum(cells.row_count) over (
            partition by candidates.region, candidates.attribute_number, candidates.candidate
            order by cells.deal
        ))) as left_rows
    from candidates
    inner join {{ regions }} as cells
        on cells.region = candidates.region
        and candidates.cut_place = case candidates.attribute_number{% for attribute in attributes if attribute.number not in trees %} when {{ attribute.number }} then cells.place_{{ attribute.number }}{% endfor %} end
),
{% endif %}
sides as (
    -- what lies on either side of each candidate
    select
        candidates.region,
        candidates.attribute_number,
        candidates.candidate,
        case when place_counts.place <= candidates.cut_place then 0 else 1 end as side{{ with_values("place_counts.") }},
        {{ "place_counts.population_count, " if population }}place_counts.row_count
    from candidates
    inner join place_counts
        on place_counts.region = candidates.region
        and place_counts.attribute_number = candidates.attribute_number
{% if relaxed %}
        and place_counts.place <> candidates.cut_place
    union all
    select region, attribute_number, candidate, 0{{ with_values() }}, left_rows
    from dealt_cells
    where left_rows > 0
    union all
    select region, attribute_number, candidate, 1{{ with_values() }}, row_count - left_rows
    from dealt_cells
    where left_rows < row_count
{% endif %}
{% if trees %}
    union all
    select
        widths.region,
        widths.attribute_number,
        1,
        children.first_place{{ with_values("place_counts.") }},
        {{ "place_counts.population_count, " if population }}place_counts.row_count
    from widths
    inner join place_counts
        on place_counts.region = widths.region
        and place_counts.attribute_number = widths.attribute_number
    inner join sqlanon.label_places as children
        on children.attribute_number = place_counts.attribute_number
        and children.place = place_counts.place
        and children.level = widths.level
{% endif %}
),
{% set counted_from = "sides" %}
{% set class_key = ["region", "attribute_number", "candidate", "side"] %}
{% include "partition/_judged_classes.sql" %}
allowable_cuts as (
    -- candidates with every promise on every side{{ "; where nobody of the table is, nothing is promised" if population and not needs_cover }}
    select {{ keys.list("side_classes", class_key[:3]) }}
{% if population %}
    from (
        select {{ class_key | join(", ") }}, sum(row_count) as row_count
        from sides
        group by {{ class_key | join(", ") }}
    ) as side_classes
{% else %}
    from classes as side_classes
{% endif %}
{% for judgement in judgements %}
    left join {{ judgement.name }}
{% for column in class_key %}
        {{ "on" if loop.first else "and" }} {{ judgement.name }}.{{ column }} = side_classes.{{ column }}
{% endfor %}
{% endfor %}
    group by {{ keys.list("side_classes", class_key[:3]) }}
    having {{ "sum(side_classes.row_count) > 0\n        and " if population }}{% for judgement in judgements %}{{ "and " if not loop.first }}bool_and(coalesce({{ judgement.name }}.satisfied, {{ "side_classes.row_count = 0" if population and not needs_cover else "false" }})){{ "\n        " if not loop.last }}{% endfor %}

),
chosen_cuts as (
    -- the first of them: the widest attribute, then the order of the plan, then of the candidates
    select region, attribute_number, level, cut_place{{ ", dealt_rows" if relaxed }}
    from (
        select
            allowable_cuts.*,
            widths.level,
            candidates.cut_place,
{% if relaxed %}
            candidates.dealt_rows,
{% endif %}
            row_number() over (
                partition by allowable_cuts.region
                order by widths.width desc, allowable_cuts.attribute_number, allowable_cuts.candidate
            ) as preference
        from allowable_cuts
        inner join widths
            on widths.region = allowable_cuts.region
            and widths.attribute_number = allowable_cuts.attribute_number
        left join candidates
            on candidates.region = allowable_cuts.region
            and candidates.attribute_number = allowable_cuts.attribute_number
            and candidates.candidate = allowable_cuts.candidate
    ) as preferred_cuts
    where preference = 1
)
