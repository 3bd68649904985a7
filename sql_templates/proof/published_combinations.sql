{#- inputs: quasi_identifiers list[tuple[str, str]], attributes list[tuple[int, str]], rows str, unit str | None -#}
-- published_combinations: the one pass over the publication; all promises are judged on this table
-- reads:   published_rows; no result of the search
-- returns: one row per distinct combination of published quasi-identifiers{{ ", values" if attributes }}{{ " and persons" if unit }}
{% for number, name in attributes %}
--   text_{{ number }}      {{ name | comment }}
{% endfor %}
--   row_count   published rows   [rows]
-- nulls:   a null is a value of its own
{% include "proof/_combinations.sql" %}
