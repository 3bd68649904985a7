{#- inputs: classes str, class_key list[str], scope list[str], excess bool, threshold Decimal, share Decimal, promise str, source str -#}
{% import "_keys.sql" as keys %}
-- journalist_risk: {{ promise | comment }}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, one row per equivalence class, population_size included
{% set size = "population_size" %}
{% include "privacy_models/_share_risk.sql" %}
