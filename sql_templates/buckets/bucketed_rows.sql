{#- inputs: attributes list[CutAttribute], names dict[str, str], keys list[str] -#}
-- bucketed_rows: every row with the bucket that contains its values
-- reads:   keyed_rows, row_combinations, value_places, class_cells
-- returns: one row per source row: its combination and its keys
--   bucket   number of the bucket, from 1
with placed_combinations as (
    -- every distinct row with its places; earlier proofs showed that every value has a place
    select
        combinations.{{ names.combination | ident }} as combination,
{% for attribute in attributes %}
        places_{{ attribute.number }}.place as place_{{ attribute.number }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.row_combinations as combinations
{% for attribute in attributes %}
    left join sqlanon.value_places as places_{{ attribute.number }}
        on places_{{ attribute.number }}.attribute_number = {{ attribute.number }}
        and places_{{ attribute.number }}.value is not distinct from cast(combinations.{{ attribute.name | ident }} as varchar)
{% endfor %}
),
place_classes as (
    select distinct
{% for attribute in attributes %}
        place_{{ attribute.number }},
{% endfor %}
        class
    from sqlanon.class_cells
),
combination_buckets as (
    select placed_combinations.combination, place_classes.class as bucket
    from placed_combinations
    inner join place_classes
{% for attribute in attributes %}
        {{ "on" if loop.first else "and" }} place_classes.place_{{ attribute.number }} = placed_combinations.place_{{ attribute.number }}
{% endfor %}
)
select
    keyed_rows.combination,
{% for key in keys %}
    keyed_rows.{{ key }},
{% endfor %}
    combination_buckets.bucket
from sqlanon.keyed_rows as keyed_rows
inner join combination_buckets on combination_buckets.combination = keyed_rows.combination
