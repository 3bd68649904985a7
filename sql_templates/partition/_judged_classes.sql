{#- CTEs `classes` (`class_values_of_X` ...) and the judgement of every model, from rows with a class key -#}
{% set class = "side of a cut" if class_key[0] == "cut_number" else "class" %}
{% set linked = false %}
{% set counts_rows = false %}
{% include "_counted_classes.sql" %},
{% for judgement in judgements %}
{{ judgement.name }} as (
    -- one row per {{ class }}: whether it holds {{ judgement.model.model }}
{{ judgement.select | indent(4, first=true) }}
),
{% endfor %}
