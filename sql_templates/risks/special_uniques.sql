{#- inputs: column_count int, sets list[list[int]], person bool -#}
-- special_uniques: the minimal sets of columns on which a {{ "person" if person else "row" }} is alone
-- source:  Elliot, Manning, Ford, Int. J. Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 2002
-- reads:   coded_combinations
-- returns: one row per {{ "person" if person else "row" }} and set; none for one that is alone on no set of this size
--   row_key   number of the {{ "person" if person else "row" }}
--   members   the columns of the set, a bit each: column_1 is the highest
with cells as (
    -- each cell with one {{ "person" if person else "row" }}, of every set of columns
    select
        grouping({% for n in range(1, column_count + 1) %}column_{{ n }}{{ ", " if not loop.last }}{% endfor %}) as left_out,
        {{ "any_value(person)" if person else "min(rowid)" }} as row_key
    from sqlanon.coded_combinations
    group by grouping sets (
{% for members in sets %}
        ({% for n in members %}column_{{ n }}{{ ", " if not loop.last }}{% endfor %}){{ "," if not loop.last }}
{% endfor %}
    )
    having {{ "count(distinct person)" if person else "sum(row_count)" }} = 1
),
uniques as (
    select row_key, {{ 2 ** column_count - 1 }} - left_out as members
    from cells
),
bits as (
    select cast(power(2, range) as bigint) as bit
    from range({{ column_count }})
)
-- whoever is alone on a set is alone on every larger one
select row_key, members
from uniques
except
select uniques.row_key, uniques.members | bits.bit as members
from uniques
inner join bits on uniques.members & bits.bit = 0
