{#- inputs: proofs list[str], masked bool, partitioned bool, row_count str -#}
{% import "_comments.sql" as comments %}
-- proven: one row if every proof holds; otherwise an error. Without this table nothing is
--   published, even if the shell continues after errors
{% call comments.wrapped("-- reads:   ") %}
{{ proofs | join(", ") }}, {{ "source_combinations" if partitioned else "decided_classes" }}, published_rows
{% endcall %}
-- returns: one row
with violations as (
{% for proof in proofs %}
    {{ "union all " if not loop.first }}select count(*) as violation_count from sqlanon.{{ proof | ident }}
{% endfor %}
),
expected_rows as (
{% if partitioned %}
    select sum({{ row_count | ident }}) as row_count
    from sqlanon.source_combinations
{% else %}
    select sum(class_size){{ "" if masked else " filter (where published)" }} as row_count
    from sqlanon.decided_classes
{% endif %}
),
staged_rows as (
    select count(*) as row_count
    from sqlanon.published_rows
),
sums as (
    select sum(violation_count) as violation_count
    from violations
)
select case
    when sums.violation_count = 0 and staged_rows.row_count = expected_rows.row_count
        then 'proven'
    else error('sqlanon: a proof failed or rows are missing; nothing is published')
end as verdict
from sums
cross join staged_rows
cross join expected_rows
