"""The keys of a proposed plan, answers about the rows of a plan, and account numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sqlanon.commands.options import Options
from sqlanon.commands.session import open_session
from sqlanon.engines.base import drive
from sqlanon.plan.plan import Plan
from sqlanon.source.tables import source_steps
from sqlanon.sql.step import Search

Answer = TypeVar("Answer")


def keys_of(plan: Plan) -> dict[str, Any]:
    """The keys of a plan: the source, every column and the method as a mapping."""

    def whole(key: str, keys: Any) -> Any:
        return {key: keys} if isinstance(keys, str) else keys

    keys = plan.content()
    columns = {name: whole("role", column) for name, column in keys["columns"].items()}
    source, method = whole("path", keys["source"]), whole("name", keys.get("method", "optimal"))
    return keys | {"source": source, "columns": columns, "method": method}


def answer(plan: Any, question: Callable[[Plan], Search[Answer]]) -> Answer:
    """What a question finds in the source of a plan."""
    session = open_session(plan, Options())
    with session.engine(publishes=False) as engine:
        engine.execute(source_steps(session.plan)[0])
        return drive(engine, question(session.plan))


def iban(account: str, country: str = "DE") -> str:
    """An account with the check digits that ISO 13616 gives it."""
    number = "".join(str(int(sign, 36)) for sign in account + country + "00")
    return f"{country}{98 - int(number) % 97:02d}{account}"
