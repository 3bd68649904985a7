{#- CTEs `classes` (`class_values_of_X` ...) and the model_check of every model, from rows with a class key -#}
{% set class = "side of a cut" if class_key[0] == "cut_number" else "class" %}
{% set linked = false %}
{% set counts_rows = false %}
{% include "_counted_classes.sql" %},
{% for model_check in model_checks %}
{{ model_check.name }} as (
    -- one row per {{ class }}: whether it holds {{ model_check.model.model }}
{{ model_check.select | indent(4, first=true) }}
),
{% endfor %}
