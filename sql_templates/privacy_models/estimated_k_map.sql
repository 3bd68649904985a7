{#- inputs: classes str, class_key list[str], excess bool, unit bool, k int, sampling_fraction Decimal, estimator str, error Decimal, promise str, source str -#}
{{ sqlanon.comments_head("-- estimated_k_map: ", promise, source) }}
{% set k = sqlanon.poisson_least_size(k, sampling_fraction, error, estimator != "poisson") | int %}
{% include "privacy_models/_class_size.sql" %}
