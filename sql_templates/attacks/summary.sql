{#- inputs: title str, relation str, measures dict[str, str] -#}
-- {{ title }}: the result of the attack
-- reads:   {{ relation }}
-- returns: one row
--   classes, classes_at_risk   attacked classes, and classes with rows at risk   [classes]
--   row_count, rows_at_risk    rows of these classes, and rows at risk   [rows]
--   certainty                  highest certainty of the attacker   [0 to 1]
select
    count(*) as classes,
    count(*) filter (where attacked.broken) as classes_at_risk,
    cast(sum(attacked.class_size) as bigint) as row_count,
    cast(sum(attacked.rows_at_risk) as bigint) as rows_at_risk,
    cast(max(attacked.certainty) as double) as certainty{{ "," if measures }}
{% for measure, aggregate in measures.items() %}
    cast({{ aggregate }}(attacked.{{ measure | ident }}) as double) as {{ measure | ident }}{{ "," if not loop.last }}
{% endfor %}
from sqlanon.{{ relation }} as attacked
