{#- inputs: classes str, class_key list[str], excess bool, unit bool, k int, promise str, source str -#}
{{ sqlanon.comments_head("-- k_anonymity: ", promise, source) }}
{% include "privacy_models/_class_size.sql" %}
