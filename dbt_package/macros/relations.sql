{# What every promise is judged on, in one query: rows, their classes, and the values in them.

   The tables are read once each, and put below each other, so that one `dense_rank` numbers the
   classes of all, and another the values. From then on there are only numbers: nothing is joined by
   a value, a missing value is a value of its own, and no name of a column can clash. #}
{% macro relations(model, quasi_identifiers, attribute=none, known=[], table=none, population=none, is_covered=false, hierarchy=none, levels=[], unit=none, is_number=false, is_ordered=false, show_values=false) -%}
{%- set string = dbt.type_string() -%}
{%- set named = namespace(keys=[], parts=[]) -%}
{%- for name in quasi_identifiers -%}
{%- set named.keys = named.keys + ["key_" ~ loop.index] -%}
{%- endfor -%}
{%- for name in known -%}
{%- set named.parts = named.parts + ["known_" ~ loop.index] -%}
{%- endfor -%}
{%- set keys = named.keys -%}
{%- set parts = named.parts -%}
{%- set columns = keys + (["sensitive"] if attribute else []) + parts + (["person"] if unit else []) -%}
{%- set class_key = ["class_number", "part_number"] if known else ["class_number"] -%}
{%- set counted = "count(distinct person)" if unit else "cast(sum(row_count) as bigint)" -%}
named_rows as (
    select
{%- for name in quasi_identifiers %}
        {{ "cast(" ~ sqlanon.ident(name) ~ " as " ~ string ~ ")" if population else sqlanon.ident(name) }} as key_{{ loop.index }}{{ "," if not loop.last or columns | length > keys | length }}
{%- endfor %}
{%- if attribute %}
        cast({{ sqlanon.ident(attribute) }} as {{ string }}) as sensitive{{ "," if known or unit }}
{%- endif %}
{%- for name in known %}
        cast({{ sqlanon.ident(name) }} as {{ string }}) as known_{{ loop.index }}{{ "," if not loop.last or unit }}
{%- endfor %}
{%- if unit %}
        {{ sqlanon.ident(unit) }} as person
{%- endif %}
    from {{ model }}
),
-- the one pass over the table: its distinct combinations
stacked_rows as (
    select 'published' as origin, {{ columns | join(", ") }}, count(*) as row_count
    from named_rows
    group by {{ columns | join(", ") }}
{%- if population %}
    union all
    select 'population', {{ keys | join(", ") }}, {{ "null, " * (columns | length - keys | length) }}count(*)
    from (
        select
{%- for name in quasi_identifiers %}
            cast({{ sqlanon.ident(name) }} as {{ string }}) as key_{{ loop.index }}{{ "," if not loop.last }}
{%- endfor %}
        from {{ population }}
    ) as named_persons
    group by {{ keys | join(", ") }}
{%- endif %}
{%- if table %}
    union all
    select 'table', {{ "null, " * (keys | length) }}sensitive, {{ "null, " * (parts | length) }}{{ "person, " if unit }}count(*)
    from (
        select cast({{ sqlanon.ident(attribute) }} as {{ string }}) as sensitive{{ ", " ~ sqlanon.ident(unit) ~ " as person" if unit }}
        from {{ table }}
    ) as table_rows
    group by sensitive{{ ", person" if unit }}
{%- endif %}
),
{%- if attribute %}
read_rows as (
    select
        stacked_rows.*,
        {{ sqlanon.as_number("sensitive") if is_number or is_ordered else "null" }} as number
    from stacked_rows
),
{%- endif %}
numbered_rows as (
    select
        origin,
        row_count,
{%- for name in keys if show_values %}
        cast({{ name }} as {{ string }}) as {{ name }},
{%- endfor %}
{%- if unit %}
        person,
{%- endif %}
{%- if attribute %}
        sensitive,
        number,
        dense_rank() over (
            order by number nulls last, {{ sqlanon.in_order("sensitive") }} nulls last
        ) as value,
{%- endif %}
{%- if known %}
        dense_rank() over (order by {{ (keys + parts) | join(", ") }}) as part_number,
{%- endif %}
        dense_rank() over (order by {{ keys | join(", ") }}) as class_number
    from {{ "read_rows" if attribute else "stacked_rows" }}
),
classes as (
    select
        class_number,
{%- for name in keys if show_values %}
        min({{ name }}) as {{ name }},
{%- endfor %}
        {{ "count(distinct case when origin = 'published' then person end)" if unit else "cast(sum(case when origin = 'published' then row_count else 0 end) as bigint)" }} as class_size{{ "," if population }}
{%- if population %}
        -- null if there is none, which is a violation of its own
        nullif(
            cast(sum(case when origin = 'population' then row_count else 0 end) as bigint), 0
        ) as population_size
{%- endif %}
    from numbered_rows
{%- if table %}
    where origin <> 'table'
{%- endif %}
    group by class_number
{%- if population and not is_covered %}
    having count(case when origin = 'published' then 1 end) > 0
{%- endif %}
),
{%- if attribute %}
table_values as (
    select counted_values.*, table_sizes.table_size
    from (
        select value, value as place, sensitive as text, number, {{ counted }} as row_count
        from numbered_rows
        where origin = '{{ "table" if table else "published" }}'
        group by value, sensitive, number
    ) as counted_values
    cross join (
        select {{ counted }} as table_size
        from numbered_rows
        where origin = '{{ "table" if table else "published" }}'
    ) as table_sizes
),
class_values as (
    select {{ class_key | join(", ") }}, value, {{ counted }} as value_count
    from numbered_rows
    where origin = 'published'
    group by {{ class_key | join(", ") }}, value
),
{%- if known %}
parts as (
    select {{ class_key | join(", ") }}, {{ counted }} as class_size
    from numbered_rows
    where origin = 'published'
    group by {{ class_key | join(", ") }}
),
{%- endif %}
{%- endif %}
{%- if hierarchy %}
hierarchy_levels as (
{%- for level in levels %}
    {{ "union all " if not loop.first }}select
        cast({{ sqlanon.ident(levels[0]) }} as {{ string }}) as leaf,
        {{ loop.index0 }} as level,
        cast({{ sqlanon.ident(level) }} as {{ string }}) as label
    from {{ hierarchy }}
{%- endfor %}
),
value_levels as (
    select known_values.value, hierarchy_levels.level, hierarchy_levels.label
    from (select distinct value, sensitive from numbered_rows where origin <> 'population') as known_values
    inner join hierarchy_levels
        on hierarchy_levels.leaf = known_values.sensitive
    union all
    -- a missing value stays missing below the top
    select known_values.value, all_levels.level, null
    from (select distinct value from numbered_rows where origin <> 'population' and sensitive is null) as known_values
    cross join (select distinct level from hierarchy_levels) as all_levels
),
{%- endif %}
{%- endmacro %}

{# The rows of a failing test: what is wrong, with the size of the class and its measure. Stored
   failures must not show who is at risk, so quasi-identifiers are there only if asked for. #}
{% macro violations(judged, measure, quasi_identifiers, attribute=none, table=none, population=none, hierarchy=none, levels=[], unit=none, is_number=false, is_ordered=false, show_values=false) -%}
{%- set names = quasi_identifiers if show_values else [] -%}
{%- set none_shown = ", null" * (names | length) -%}
judged_classes as (
{{ judged }}
)
select
    'a class does not hold the promise' as violation,
    classes.class_size,
    cast(judged_classes.{{ measure }} as {{ sqlanon.double() }}) as measured{{ "," if names }}
{%- for name in names %}
    classes.key_{{ loop.index }} as {{ sqlanon.ident(name) }}{{ "," if not loop.last }}
{%- endfor %}
from classes
left join judged_classes
    on judged_classes.class_number = classes.class_number
where not coalesce(judged_classes.satisfied, false)
union all
select 'the table has no rows', 0, null{{ none_shown }}
from named_rows
having count(*) = 0
{%- if unit %}
union all
select 'rows belong to no person', cast(sum(row_count) as bigint), null{{ none_shown }}
from numbered_rows
where origin = 'published' and person is null
having count(*) > 0
{%- endif %}
{%- if population %}
union all
select 'classes have no row of the population', cast(sum(class_size) as bigint), null{{ none_shown }}
from classes
where population_size is null
having count(*) > 0
{%- endif %}
{%- if table %}
union all
select 'rows have values that the table does not have', cast(sum(row_count) as bigint), null{{ none_shown }}
from numbered_rows
where origin = 'published' and value not in (select value from table_values)
having count(*) > 0
{%- endif %}
{%- if is_number or is_ordered %}
union all
select 'values are no numbers, or infinite', count(*), null{{ none_shown }}
from numbered_rows
where origin <> 'population'
    and sensitive is not null
    and (abs(number) > 1.7e308{{ " or number is null" if is_number }})
having count(*) > 0
{%- endif %}
{%- if is_ordered %}
union all
select 'there is text among numbers, so that there is no order', count(*), null{{ none_shown }}
from numbered_rows
where origin <> 'population' and sensitive is not null
having count(number) > 0 and count(number) < count(*)
{%- endif %}
{%- if hierarchy %}
union all
select 'values are not once in the hierarchy', count(*), null{{ none_shown }}
from (
    select table_values.value
    from table_values
    left join value_levels
        on value_levels.value = table_values.value
    group by table_values.value
    having count(value_levels.level) <> {{ levels | length }}
) as other_values
having count(*) > 0
union all
select 'the hierarchy does not end in one value', count(*), null{{ none_shown }}
from (
    select distinct label from hierarchy_levels where level = {{ levels | length - 1 }}
) as tops
having count(*) > 1
{%- endif %}
{%- endmacro %}

{# A proof as a statement that fails: a hook of a model, because `dbt run` runs no tests. The error is
   the database's own: a text that is no integer. A database for which that is no error, but null,
   needs a macro of its own. #}
{% macro guarded(test, proof) -%}
{{ adapter.dispatch("guarded", "sqlanon")(test, proof) }}
{%- endmacro %}
{% macro default__guarded(test, proof) -%}
select cast(
    case when count(*) = 0 then '0' else 'sqlanon: {{ test }} does not hold; nothing is published' end
    as integer
) as violations
from (
{{ proof }}
) as violations
{%- endmacro %}
{# Without ANSI mode, Spark casts such a text to null. #}
{% macro spark__guarded(test, proof) -%}
select if(
    count(*) = 0, 0, raise_error('sqlanon: {{ test }} does not hold; nothing is published')
) as violations
from (
{{ proof }}
) as violations
{%- endmacro %}
