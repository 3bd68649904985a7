{#- inputs: quasi_identifiers list[tuple[str, str]], combinations str, unit str | None, population bool -#}
-- published_equivalence_classes: rows that share all published quasi-identifiers
-- reads:   published_combinations{{ ", population_classes" if population }}
-- returns: one row per class
--   class_size  {{ "persons" if unit else "published rows" }}
{% if population %}
--   population_size  rows of the population that fall into the class   [rows]
{% endif %}
-- nulls:   a null is a value of its own
{% include "proof/_classes.sql" %}
