{#- inputs: column str, lengths list[int], kind str, path str, one_file bool, relation list[str], options list[tuple[str, str]] -#}
-- prefixes: the beginnings of codes, from long to short; for the `hierarchy` of a plan
-- reads:   the source, by its reader
-- returns: one row per value, with its label on every level
select distinct
    {{ column | ident }},
{% for length in lengths %}
    case
        when length({{ column | ident }}) <= {{ length }} then {{ column | ident }}
        else left({{ column | ident }}, {{ length }}) || '*'
    end,
{% endfor %}
    '*'
{% with deep = false %}{% include "source/_from.sql" %}{% endwith %}
where {{ column | ident }} is not null
