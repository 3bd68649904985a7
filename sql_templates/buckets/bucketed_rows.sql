{#- inputs: attributes list[CutAttribute], pairs list[tuple[str, str]], names dict[str, str], keys list[str] -#}
{% import "partition/_lists.sql" as lists %}
{% import "partition/_places.sql" as places %}
-- bucketed_rows: every row with the bucket that contains its values
-- reads:   keyed_rows, row_combinations, value_places, class_cells
-- returns: one row per source row: its combination and its keys
--   bucket   number of the bucket, from 1
with placed_combinations as (
    -- one row per distinct row: its places; earlier proofs showed that every value has a place
    select
        {{ lists.column(names.combination, "combination", "row_combinations") }},
{% for attribute in attributes %}
        {{ attribute.named("places") | ident }}.place as {{ attribute.place | ident }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.row_combinations
{{ places.lookup(attributes, "row_combinations", "    ") }}),
cell_buckets as (
    -- one row per combination of places: the bucket that it is in
    select distinct
{% for attribute in attributes %}
        {{ attribute.place | ident }},
{% endfor %}
        class as bucket
    from sqlanon.class_cells
),
combination_buckets as (
    -- one row per distinct row: its bucket
    select placed_combinations.combination, cell_buckets.bucket
    from placed_combinations
    inner join cell_buckets
{{ lists.equal("cell_buckets", "placed_combinations", pairs, "        ") }})
select
    keyed_rows.combination,
{% for key in keys %}
    keyed_rows.{{ key | ident }},
{% endfor %}
    combination_buckets.bucket
from sqlanon.keyed_rows
inner join combination_buckets on combination_buckets.combination = keyed_rows.combination
