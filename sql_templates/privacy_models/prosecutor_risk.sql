{#- inputs: classes str, class_key list[str], scope list[str], excess bool, unit bool, threshold Decimal, share Decimal, promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- prosecutor_risk: ", width=86) %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, one row per equivalence class
{% set size = "class_size" %}
{% include "privacy_models/_share_risk.sql" %}
