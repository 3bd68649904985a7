{#- inputs: classes str, class_key list[str], scope list[str], excess bool, unit bool, threshold Decimal, share Decimal, promise str, source str -#}
{{ sqlanon.comments_head("-- journalist_risk: ", promise, source) }}
{{ sqlanon.comments_reads(classes ~ ", one row per equivalence class, population_size included") }}
{% set size = "population_size" %}
{% include "privacy_models/_share_risk.sql" %}
