{#- CTEs from the open regions in `{{ regions }}` to `chosen_cuts`, one row per region that is cut -#}
{% import "partition/_columns.sql" as columns with context %}
{% import "partition/_lists.sql" as lists %}
{% set by_value = cut_carried + (["person"] if unit else []) %}
{% set people = ["sum(population_count) as population_count"] if population else [] %}
{% set counted = "population_count" if by_population else "row_count" %}
place_counts as (
    -- one row per region, attribute, place{{ ", value" if cut_carried }}{{ ", person" if unit }}: its rows
{% for attribute in attributes %}
    {{ "union all\n    " if not loop.first }}select
        {{ columns.filled(["region", attribute.number ~ " as attribute_number", attribute.place ~ " as place"] + by_value + people, "sum(row_count) as row_count") | indent(8) }}
    from {{ regions }}
{{ lists.group_by(["region", attribute.place] + by_value) }}{% endfor %}
),
{% if trees | length < attributes | length %}
running_counts as (
    -- one row per region, attribute and place: {{ "persons" if by_population else "rows" }} up to it, and before it
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
{% endif %}
{% if trees %}
region_ends as (
    -- one row per region and attribute: its first and last place
    select region, attribute_number, min(place) as first_place, max(place) as last_place
    from place_counts
{% if population %}
    where {{ counted }} > 0
{% endif %}
    group by region, attribute_number
),
{% endif %}
possible_cuts as (
{% if trees | length < attributes | length %}
    -- one row per region and cut in two, after cut_place; width: share of the scale that
    -- the region has, times the weight of the attribute; turn: the order of trying
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
    inner join sqlanon.places as lowest
        on lowest.attribute_number = running_counts.attribute_number
        and lowest.place = running_counts.first_place
    inner join sqlanon.places as highest
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
    -- one row per region and cut into all labels of the level below the lowest common
    -- ancestor; width: the share that the ancestor covers
    select
        region_ends.region,
        region_ends.attribute_number,
        cast(null as integer) as cut_place,
        min(ancestors.level) - 1 as level,
        min(ancestors.width) as width,
        0 as turn{{ "," if relaxed }}
{% if relaxed %}
        cast(null as bigint) as dealt_rows
{% endif %}
    from region_ends
    inner join sqlanon.label_places as ancestors
        on ancestors.attribute_number = region_ends.attribute_number
        and ancestors.place = region_ends.first_place
        and ancestors.last_place >= region_ends.last_place
    where region_ends.first_place < region_ends.last_place
{% if trees | length < attributes | length %}
        and region_ends.attribute_number in ({{ trees | join(", ") }})
{% endif %}
    group by region_ends.region, region_ends.attribute_number
{% endif %}
),
cuts as (
    -- the same rows, numbered in the order of trying: the widest attribute first
    select
        *,
        row_number() over (
            order by region, width desc, attribute_number, turn, cut_place
        ) as cut_number
    from possible_cuts
),
{% if relaxed %}
dealt_cells as (
    -- one row per cut and cell at the place of the cut itself: how many of its rows go left
    select
        cuts.cut_number,
{% for code in by_value %}
        cells.{{ code | ident }},
{% endfor %}
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
            when {{ attribute.number }} then cells.{{ attribute.place | ident }}
{% endfor %}
        end
),
{% endif %}
sides as (
    -- the contents of each side of each cut, as rows of place_counts
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
{% for code in by_value %}
        place_counts.{{ code | ident }},
{% endfor %}
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
    select
        cut_number,
        0,
{% for code in by_value %}
        {{ code | ident }},
{% endfor %}
        left_rows
    from dealt_cells
    where left_rows > 0
    union all
    select
        cut_number,
        1,
{% for code in by_value %}
        {{ code | ident }},
{% endfor %}
        row_count - left_rows
    from dealt_cells
    where left_rows < row_count
{% endif %}
),
{% set counted_from = "sides" %}
{% set class_key = ["cut_number", "side"] %}
{% include "partition/_judged_classes.sql" %}
{% set sizes = "side_rows" if population else "classes" %}
{% if population %}
side_rows as (
    -- one row per cut and side, also without rows of the table: its rows
    select cut_number, side, sum(row_count) as row_count
    from sides
    group by cut_number, side
),
{% endif %}
allowable_cuts as (
    -- one row per cut that holds every promise on every side{{ ";" if population and not needs_cover }}
{% if population and not needs_cover %}
    -- a side without rows needs no promise
{% endif %}
    select {{ sizes }}.cut_number
    from {{ sizes }}
{% for model_check in model_checks %}
    left join {{ model_check.name }}
        on {{ model_check.name }}.cut_number = {{ sizes }}.cut_number
        and {{ model_check.name }}.side = {{ sizes }}.side
{% endfor %}
    group by {{ sizes }}.cut_number
    having bool_and(
{% for model_check in model_checks %}
        {{ "and " if not loop.first }}coalesce({{ model_check.name }}.satisfied, {{ "side_rows.row_count = 0" if population and not needs_cover else "false" }})
{% endfor %}
    ){{ " and sum(side_rows.row_count) > 0" if population }}
),
chosen_cuts as (
    -- one row per region that is cut: its first allowable cut
    select *
    from cuts
    where cut_number in (
        select min(cuts.cut_number)
        from cuts
        inner join allowable_cuts on allowable_cuts.cut_number = cuts.cut_number
        group by cuts.region
    )
),
