{#- inputs: classes str, class_key list[str], excess bool, unit bool, k int, promise str, source str -#}
{% call sqlanon.comments_wrapped("-- k_anonymity: ", width=86) %}
{{ sqlanon.comment(promise) }}
{% endcall -%}
-- source:  {{ sqlanon.comment(source) }}
{% include "privacy_models/_class_size.sql" %}
