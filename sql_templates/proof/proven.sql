{#- inputs: proofs list[str], whole bool, limit Decimal, rows int -#}
{% import "_comments.sql" as comments %}
{% import "proof/_suppression.sql" as suppression %}
-- proven: one row if every proof holds; otherwise an error. Without this table nothing is
--   published, even if the shell continues after errors
{{ comments.line("-- reads:  ", (proofs | join(", ")) ~ ", source_rows, published_rows") }}
-- returns: one row
with violations as (
{% for proof in proofs %}
    {{ "union all " if not loop.first }}select count(*) as violation_count from sqlanon.{{ proof | ident }}
{% endfor %}
),
sums as (
    select sum(violation_count) as violation_count
    from violations
),
{{ suppression.counts() }}
select case
    when sums.violation_count > 0
        then error('sqlanon: a proof failed; nothing is published')
    -- {{ "no row is suppressed" if whole else "at most " ~ rows ~ " rows are suppressed" if rows else "at most a share of " ~ (limit | number) ~ " of the rows is suppressed" }}
    when {{ suppression.rows_are_missing(whole, limit, rows) | indent(4) }}
        then error('sqlanon: rows are missing; nothing is published')
    else 'proven'
end as verdict
from sums
cross join source_count
cross join published_count
