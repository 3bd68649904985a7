{#- inputs: relation str, quasi_identifiers list[str] -#}
-- masked_rows: the number of rows with '*' in every quasi-identifier
-- reads:   the published table
-- returns: one row
select count(*) as row_count
from {{ relation }}
where
{% for name in quasi_identifiers %}
    {{ "and " if not loop.first }}{{ name | ident }} = '*'
{% endfor %}
