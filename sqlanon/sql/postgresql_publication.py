"""The text that publishes a staged table in PostgreSQL, in a run and in `program.sql`.

Owner, grants, comments of columns and indexes of an earlier table at the place stay. A run, whose
transaction began long before, has another session look at what the earlier table has now.
"""

from __future__ import annotations

from sqlanon.sql.step import mark

_ROLE = "case when grantee = 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end"

_KEPT = """\
select made.statement
from (
    select 1 as part, format('alter table %s owner to %I', {place}, pg_get_userbyid(relowner))
    from pg_catalog.pg_class
    where oid = {earlier}
    union all
    select 2, format(
        'grant %s%s on %s to %s%s', privilege_type, named, {place},
        {role},
        case when is_grantable and grantee <> owner then ' with grant option' end
    )
    from (
        select '' as named, relowner as owner, given.*
        from pg_catalog.pg_class,
            aclexplode(coalesce(relacl, acldefault('r', relowner))) as given
        where oid = {earlier}
        union all
        select format(' (%I)', attname), 0, given.*
        from pg_catalog.pg_attribute, aclexplode(attacl) as given
        where attrelid = {earlier} and not attisdropped and attname = any({columns})
    ) as grants
    union all
    select 3, format(
        'comment on column %s.%I is %L', {place}, attname, col_description(attrelid, attnum)
    )
    from pg_catalog.pg_attribute
    where attrelid = {earlier} and attname = any({columns})
        and col_description(attrelid, attnum) is not null
) as made (part, statement)
order by made.part"""

_COLUMNS = """\
select attname::text
from pg_catalog.pg_attribute
where attrelid = {table} and attnum > 0 and not attisdropped
order by attnum"""

_INDEXES = """\
select pg_get_indexdef(indexrelid)
from pg_catalog.pg_index
where indrelid = earlier
order by indexrelid"""

_PUBLISHED = """\
do ${tag}$
declare
    place text := {called};
    earlier oid := to_regclass(place);
    staged oid := to_regclass({shown});
    new_columns text[] := array({columns});
    kept text[] := {kept};
    statement text;
begin
    {checked}if earlier is not null then
        for statement in
            select format('revoke all on %s from %s', {shown}, {role})
            from pg_catalog.pg_class, aclexplode(coalesce(relacl, acldefault('r', relowner)))
            where oid = staged
        loop
            execute statement;
        end loop;
        drop table {final};
    end if;
    alter table {staged} rename to {name};
    foreach statement in array kept loop
        execute statement;
    end loop;
end
${tag}$;"""

_CHECKED = """\
if (select count(*) from {proven}) <> 1 then
        raise exception 'sqlanon: a proof failed; nothing is published';
    end if;
    """


def kept_statements(place: str, earlier: str, columns: str) -> str:
    """The query of the statements that give a table what an earlier one has, but for indexes.

    All are expressions: the name of the new table as SQL, the number of the earlier one, and the
    names of the columns of the new one as an array of texts.
    """
    return _KEPT.format(place=place, earlier=earlier, columns=columns, role=_ROLE)


def columns_of_table(table: str) -> str:
    """The query of the names of a table's columns; the table is an expression of its number."""
    return _COLUMNS.format(table=table)


def published_text(
    *, called: str, final: str, name: str, staged: str, shown: str, proven: str = "", kept: str = ""
) -> str:
    """The statement that puts a staged table at its place.

    The place is an expression of its name (called), SQL (final), and the last part of that (name);
    the staged table is SQL, and a literal of it (shown). If all proofs hold, the relation `proven`
    has a row; without it, the caller knows. `kept` is an array of the statements that follow; if
    empty, it is made of the earlier table.
    """
    if not kept:
        found = kept_statements("place", "earlier", "new_columns")
        kept = f"array({_within(found)}) || array({_within(_INDEXES)})"
    tag = mark("publish", final, staged, proven, kept)  # in none, so that nothing ends the text
    return _PUBLISHED.format(
        tag=tag, called=called, final=final, name=name, staged=staged, shown=shown, kept=kept,
        columns=_within(columns_of_table("staged")), role=_ROLE,
        checked=_CHECKED.format(proven=proven) if proven else "",
    )  # fmt: skip


def _within(query: str) -> str:
    """A query as an argument, in lines of its own."""
    lines = "".join(f"\n        {line}" for line in query.splitlines())
    return f"{lines}\n    "
