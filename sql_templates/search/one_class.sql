{#- inputs: class_key list[str], model_checks list[ModelCheck], node_table str | None, chosen bool, nodes list[list[int]], relation str, roll_up list[int] | None, values_counted list[ClassValues], carried list[str], unit bool, linked bool, population bool, words int -#}
-- one_class: the promises for all rows as one equivalence class, the most general publication;
--   a promise that fails here and is monotone under generalization fails for every publication
-- reads:   frequency_set
-- returns: one row; for each promise its measure, whether it holds, and a lower bound on the rows
--   that no publication can keep (null if the promise gives none)
with {% include "search/_classes.sql" %}
{%- for model_check in model_checks %}
,
{{ model_check.name }} as (
{{ model_check.select | indent(4, first=true) }}
)
{%- endfor %}

select
{% for model_check in model_checks %}
    {{ model_check.name }}.{{ model_check.model.deciding_measure[0] | ident }},
    {{ model_check.name }}.satisfied,
    {{ model_check.name ~ ".excess_rows" if model_check.counts_excess else "null" }}{{ "," if not loop.last }}
{% endfor %}
from {% for model_check in model_checks %}{{ "cross join " if not loop.first }}{{ model_check.name }}{{ " " if not loop.last }}{% endfor %}

