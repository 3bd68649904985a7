"""The keys of a proposed plan, and account numbers for tables."""

from __future__ import annotations

from typing import Any

from sqlanon.plan.plan import Plan


def keys_of(plan: Plan) -> dict[str, Any]:
    """The keys of a plan: the source, every column and the method as a mapping."""

    def whole(key: str, keys: Any) -> Any:
        return {key: keys} if isinstance(keys, str) else keys

    keys = plan.content()
    columns = {name: whole("role", column) for name, column in keys["columns"].items()}
    source, method = whole("path", keys["source"]), whole("name", keys.get("method", "optimal"))
    return keys | {"source": source, "columns": columns, "method": method}


def iban(account: str, country: str = "DE") -> str:
    """An account with the check digits that ISO 13616 gives it."""
    number = "".join(str(int(sign, 36)) for sign in account + country + "00")
    return f"{country}{98 - int(number) % 97:02d}{account}"
