{#- inputs: classes str, class_key list[str], scope list[str], excess bool, unit bool, threshold Decimal, share Decimal, promise str, source str -#}
{{ sqlanon.comments_head("-- prosecutor_risk: ", promise, source) }}
-- reads:   {{ classes }}, one row per equivalence class
{% set size = "class_size" %}
{% include "privacy_models/_share_risk.sql" %}
