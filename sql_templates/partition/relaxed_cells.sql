{#- inputs: attributes list[CutAttribute], counted list[tuple[int, str]], names dict[str, str], key str -#}
-- cells: the source as places, row by row; every cut is decided from this table
-- reads:   keyed_rows, row_combinations, value_places{% for number, name in counted %}, table_values_{{ number }}{% endfor %}

-- returns: one row per source row
{% for attribute in attributes %}
--   place_{{ attribute.number }}     place of {{ attribute.name | comment }}
{% endfor %}
{% for number, name in counted %}
--   value_{{ number }}     code of {{ name | comment }}, as in table_values_{{ number }}
{% endfor %}
--   combination which distinct row it is like
--   deal        its turn where rows at a cut are dealt to both sides, in an order that only the seed knows
--   row_count   1   [rows]
-- order:   no value decides a turn. The key of a row is the keyed hash of its values and of a number that
--   tells equal rows apart; no two rows share these, so to everybody without the seed the keys are
--   independent numbers of chance, and every order of the rows is equally likely, whatever their values.
--   Cells of equal rows, dealt as one, would go to one side together and tell that they are equal
with {% include "buckets/_coded_combinations.sql" %}

select
{% for attribute in attributes %}
    coded_combinations.place_{{ attribute.number }},
{% endfor %}
{% for number, name in counted %}
    coded_combinations.value_{{ number }},
{% endfor %}
    keyed_rows.combination,
    row_number() over (order by keyed_rows.{{ key }}) as deal,
    1 as row_count
from sqlanon.keyed_rows as keyed_rows
inner join coded_combinations on coded_combinations.combination = keyed_rows.combination
