{#- inputs: title str, coded str, column_names list[str], sets list[list[int]], person bool -#}
-- {{ title }}: the minimal sets of columns on which a {{ "person" if person else "row" }} is alone
-- source:  Elliot, Manning, Ford, Int. J. Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 2002
-- reads:   {{ coded }}
-- returns: one row per {{ "person" if person else "row" }} and set; none for one that is alone on no set of this size
--   row_key   number of the {{ "person" if person else "row" }}
--   members   the columns of the set, a bit each: column_1 is the highest
{% set scope = [] %}
{% set shows_sets = true %}
{% set counted_from = "sqlanon." ~ coded %}
{% set lone = ("any_value(person)" if person else "min(rowid)") ~ " as row_key" %}
{% set counted = "count(distinct person)" if person else "sum(row_count)" %}
with {% include "_lone_cells.sql" %},
bits as (
    select cast(power(2, range) as bigint) as bit
    from range({{ column_names | length }})
)
-- whoever is alone on a set is alone on every larger one
select row_key, members
from lone_cells
except
select lone_cells.row_key, lone_cells.members | bits.bit as members
from lone_cells
inner join bits on lone_cells.members & bits.bit = 0
