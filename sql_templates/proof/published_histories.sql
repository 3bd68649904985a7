{#- inputs: quasi_identifiers list[tuple[str, str]], unit str -#}
{% import "_histories.sql" as linked %}
-- published_histories: what joins the published rows of each person: the labels of all of them
-- reads:   published_rows; no result of the search
-- returns: one row per person
--   history   number of the person's history: equal for persons who have the same rows of labels,
--             each equally often
-- nulls:   a null is a value of its own
with labeled_rows as (
    select {% for name, alias in quasi_identifiers %}{{ name | ident }}{{ " as " ~ (alias | ident) if alias != name }}, {% endfor %}{{ unit | ident }} as person
    from sqlanon.published_rows
),
{{ linked.histories(quasi_identifiers | map(attribute=1) | list, "person") }}
select person, history
from histories
