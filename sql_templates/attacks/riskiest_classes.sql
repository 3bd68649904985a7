{#- inputs: title str, relation str, class_key list[str], measures list[str], most int, with_values bool -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: at most {{ most }} classes with rows at risk, the highest certainty first
-- reads:   {{ relation }}
-- returns: one row per class: its size and risk{{ ", and its quasi-identifiers" if with_values else "; no value of a row" }}
select
    attacked.class_size,
    attacked.rows_at_risk,
    attacked.certainty{{ "," if measures or with_values }}
{% for measure in measures %}
    attacked.{{ measure | ident }}{{ "," if not loop.last or with_values }}
{% endfor %}
{% if with_values %}
{% for column in class_key %}
    attacked.{{ column | ident }}{{ "," if not loop.last }}
{% endfor %}
{% endif %}
from sqlanon.{{ relation }} as attacked
where attacked.broken
order by {{ keys.list("attacked", class_key, ["attacked.certainty desc", "attacked.rows_at_risk desc", "attacked.class_size"]) }}
limit {{ most }}
