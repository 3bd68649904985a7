{#- inputs: name str, holds str, kind str, path str, one_file bool, relation list[str], options list[tuple[str, str]] -#}
-- {{ name }}: {{ holds | comment }}
-- returns: one row per row of it
select *
{% include "prepare/_from.sql" %}
