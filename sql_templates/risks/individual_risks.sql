{#- inputs: title str, relation str, columns list[str], weight str, share float -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: the expected risk of the persons of each class, over what its population can be
-- source:  Benedetti and Franconi, NTTS 1998; Franconi and Polettini, PSD 2004
-- reads:   {{ relation }}
-- returns: one row per class
--   class_size       rows of the sample   [rows]
--   individual_risk  expected 1 / persons of the population, of whom class_size are in the sample
--                    and each is with the probability p = class_size / weight   [0 to 1]
-- nulls:   a null quasi-identifier is a value of its own
with drawn_classes as (
    select
        {{ keys.list("", columns, last=["class_size"]) }},
{% if weight %}
        least(class_size / {{ weight }}, 1.0) as p
{% else %}
        cast({{ share | number }} as double) as p
{% endif %}
    from {{ relation }}
)
-- p times the integral of u^(class_size - 1) / (p + (1 - p) u) from 0 to 1: by its series where it
-- converges fast, otherwise by parts
select
    {{ keys.list("", columns, last=["class_size"]) }},
    case
        when p = 1 then 1.0 / class_size
        when p > 0.5 or class_size > 10
            then p / class_size * list_reduce(
                range(60, 0, -1),
                lambda total, m: 1 + total * (1 - p) * m / (class_size + m),
                1.0::double
            )
        else p * list_reduce(
            range(1, class_size),
            lambda total, m: (1.0 / m - p * total) / (1 - p),
            -ln(p) / (1 - p)
        )
    end as individual_risk
from drawn_classes
