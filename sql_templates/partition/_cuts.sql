{#- CTEs from the open regions in `{{ regions }}` to `chosen_cuts`, one row per region that is cut -#}
{% macro with_values(alias="") %}{% for number in cut_carried %}, {{ alias }}value_{{ number }}{% endfor %}{{ ", " ~ alias ~ "person" if unit }}{% endmacro %}
{% set counted = "population_count" if by_population else "row_count" %}
{% set by_value = cut_carried or unit %}
place_counts as (
    -- rows of each region by place{{ " and values" if by_value }}, attribute by attribute
{% for attribute in attributes %}
    {{ "union all " if not loop.first }}select
        region, {{ attribute.number }} as attribute_number, place_{{ attribute.number }} as place{{ with_values() }},
        {{ "sum(population_count) as population_count, " if population }}sum(row_count) as row_count
    from {{ regions }}
    group by region, place_{{ attribute.number }}{{ with_values() }}
{% endfor %}
),
running_counts as (
    -- the number of {{ "persons of the population" if by_population else "rows" }} at each place, and up to it
    select
        region,
        attribute_number,
        place,
        sum(row_count) over places as rows_so_far,
        sum(row_count) over places - row_count as rows_before,
{% if cut == "median-both" and not relaxed %}
        sum(row_count) over (
            partition by region, attribute_number order by place
            rows between unbounded preceding and 1 following
        ) as rows_with_next,
{% endif %}
        sum(row_count) over region_places as region_rows,
        min(place) over region_places as first_place,
        max(place) over region_places as last_place
{% if by_value or population %}
    from (
        select region, attribute_number, place, sum({{ counted }}) as row_count
        from place_counts
        group by region, attribute_number, place
        having sum({{ counted }}) > 0
    ) as counts
{% else %}
    from place_counts
{% endif %}
    window
        region_places as (partition by region, attribute_number),
        places as (partition by region, attribute_number order by place)
),
possible_cuts as (
{% if trees | length < attributes | length %}
    -- cuts in two, after a place; width: share of the scale times the weight
    select
        running_counts.region,
        running_counts.attribute_number,
        running_counts.place as cut_place,
{% if trees %}
        cast(null as integer) as level,
{% endif %}
        lowest.weight * coalesce(
            (highest.position - lowest.position) / nullif(lowest.position_range, 0), 0
        ) as width,
{% if relaxed %}
        quantiles.turn,
        (quantiles.quarters * running_counts.region_rows + 3) // 4
            - running_counts.rows_before as dealt_rows
{% elif cut == "quantiles" %}
        case
            when 2 * rows_so_far >= region_rows and 2 * rows_before < region_rows then 0
            else 1
        end as turn
{% else %}
        abs(2 * running_counts.rows_so_far - running_counts.region_rows) as turn
{% endif %}
    from running_counts
    inner join sqlanon.value_places as lowest
        on lowest.attribute_number = running_counts.attribute_number
        and lowest.place = running_counts.first_place
    inner join sqlanon.value_places as highest
        on highest.attribute_number = running_counts.attribute_number
        and highest.place = running_counts.last_place
{% if relaxed %}
    inner join (
        values
{% for quarters in relaxed_quarters %}
            ({{ loop.index }}, {{ quarters }}){{ "," if not loop.last }}
{% endfor %}
    ) as quantiles (turn, quarters)
        on 4 * running_counts.rows_so_far
            >= quantiles.quarters * running_counts.region_rows
        and 4 * running_counts.rows_before
            < quantiles.quarters * running_counts.region_rows
        and (quantiles.quarters * running_counts.region_rows + 3) // 4
            < running_counts.region_rows
    where first_place < last_place
{% else %}
    where running_counts.place < last_place
{% if cut == "median" %}
        and 2 * rows_so_far >= region_rows and 2 * rows_before < region_rows
{% elif cut == "median-both" %}
        and 2 * rows_with_next >= region_rows and 2 * rows_before < region_rows
{% elif cut == "quantiles" %}
        and (
            (4 * rows_so_far >= region_rows and 4 * rows_before < region_rows)
            or (2 * rows_so_far >= region_rows and 2 * rows_before < region_rows)
            or (
                4 * rows_so_far >= 3 * region_rows and 4 * rows_before < 3 * region_rows
            )
        )
{% endif %}
{% endif %}
{% if trees %}
        and running_counts.attribute_number not in ({{ trees | join(", ") }})
    union all
{% endif %}
{% endif %}
{% if trees %}
    -- cuts into all labels of the level below the lowest common ancestor; width: the share
    -- that the ancestor covers
    select
        running_counts.region,
        running_counts.attribute_number,
        cast(null as integer) as cut_place,
        min(ancestors.level) - 1 as level,
        min(ancestors.width) as width,
        0 as turn{{ "," if relaxed }}
{% if relaxed %}
        cast(null as bigint) as dealt_rows
{% endif %}
    from running_counts
    inner join sqlanon.label_places as ancestors
        on ancestors.attribute_number = running_counts.attribute_number
        and ancestors.place = running_counts.first_place
        and ancestors.last_place >= running_counts.last_place
    where running_counts.place = running_counts.first_place
        and running_counts.first_place < running_counts.last_place
    group by running_counts.region, running_counts.attribute_number
{% endif %}
),
cuts as (
    -- numbered in the order of use: the widest attribute first, then in plan order
    select
        *,
        row_number() over (
            order by region, width desc, attribute_number, turn, cut_place
        ) as cut_number
    from possible_cuts
),
{% if relaxed %}
dealt_cells as (
    -- cells at the place of the cut itself, and how many of their rows go to the left side
    select
        cuts.cut_number,
{% for number in cut_carried %}
        cells.value_{{ number }},
{% endfor %}
{% if unit %}
        cells.person,
{% endif %}
        cells.row_count,
        greatest(
            0,
            least(
                cells.row_count,
                cuts.dealt_rows + cells.row_count
                    - sum(cells.row_count) over (
                        partition by cuts.cut_number order by cells.deal
                    )
            )
        ) as left_rows
    from cuts
    inner join {{ regions }} as cells
        on cells.region = cuts.region
        and cuts.cut_place = case cuts.attribute_number
{% for attribute in attributes if attribute.number not in trees %}
            when {{ attribute.number }} then cells.place_{{ attribute.number }}
{% endfor %}
        end
),
{% endif %}
sides as (
    -- the contents of each side of each cut
    select
        cuts.cut_number,
{% if trees %}
        coalesce(
            labels.first_place,
            case when place_counts.place <= cuts.cut_place then 0 else 1 end
        ) as side,
{% else %}
        case when place_counts.place <= cuts.cut_place then 0 else 1 end as side,
{% endif %}
{% for number in cut_carried %}
        place_counts.value_{{ number }},
{% endfor %}
{% if unit %}
        place_counts.person,
{% endif %}
{% if population %}
        place_counts.population_count,
{% endif %}
        place_counts.row_count
    from cuts
    inner join place_counts
        on place_counts.region = cuts.region
        and place_counts.attribute_number = cuts.attribute_number
{% if trees %}
    left join sqlanon.label_places as labels
        on labels.attribute_number = cuts.attribute_number
        and labels.place = place_counts.place
        and labels.level = cuts.level
{% endif %}
{% if relaxed %}
    where place_counts.place is distinct from cuts.cut_place
    union all
    select cut_number, 0{{ with_values() }}, left_rows
    from dealt_cells
    where left_rows > 0
    union all
    select cut_number, 1{{ with_values() }}, row_count - left_rows
    from dealt_cells
    where left_rows < row_count
{% endif %}
),
{% set counted_from = "sides" %}
{% set class_key = ["cut_number", "side"] %}
{% include "partition/_judged_classes.sql" %}
chosen_cuts as (
    -- the first cut of each region for which every promise holds on every side{{ ";" if population and not needs_cover }}
{% if population and not needs_cover %}
    -- a side without rows needs no promise
{% endif %}
    select *
    from cuts
    where cut_number in (
        select min(cuts.cut_number)
        from cuts
        inner join (
            select sizes.cut_number
{% if population %}
            from (
                select cut_number, side, sum(row_count) as row_count
                from sides
                group by cut_number, side
            ) as sizes
{% else %}
            from classes as sizes
{% endif %}
{% for judgement in judgements %}
            left join {{ judgement.name }}
                on {{ judgement.name }}.cut_number = sizes.cut_number
                and {{ judgement.name }}.side = sizes.side
{% endfor %}
            group by sizes.cut_number
            having bool_and(
{% for judgement in judgements %}
                {{ "and " if not loop.first }}coalesce({{ judgement.name }}.satisfied, {{ "sizes.row_count = 0" if population and not needs_cover else "false" }})
{% endfor %}
            ){{ " and sum(sizes.row_count) > 0" if population }}
        ) as allowable_cuts
            on allowable_cuts.cut_number = cuts.cut_number
        group by cuts.region
    )
),
