"""`sqlanon init` of a table with 20 columns: seconds, by the number of rows and the format.

usage: python benchmarks/init.py [--rows 10000000] [--format csv parquet] [--folder FOLDER]

The table has a key that repeats, e-mail addresses, IBANs, notes, dates, codes and amounts, all
invented. Each case is the whole command, with the start of Python; CPU seconds are of both cores.
Machines differ and are noisy: compare the cases of one call.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

COLUMNS = """
'P' || lpad(cast(cast(random() * {rows} / 4 as bigint) as varchar), 8, '0') as patient_id,
'user' || i || '@example.org' as email,
'DE' || lpad(cast(cast(random() * 1e9 as bigint) as varchar), 20, '0') as iban,
'note about visit ' || i || ': the patient said something' as note,
case when random() < 0.5 then 'F' else 'M' end as sex,
date '1930-01-01' + cast(random() * 29000 as integer) as born,
lpad(cast(cast(random() * 900 as integer) * 10 as varchar), 5, '0') as zip,
cast(18 + random() * 70 as integer) as age,
['single', 'married', 'divorced', 'widowed'][1 + cast(floor(random() * 4) as integer)] as marital,
['DE', 'FR', 'NL', 'US'][1 + cast(floor(random() * 4) as integer)] as country,
'job ' || cast(random() * 8 as integer) as occupation,
'E' || cast(random() * random() * 40 as integer) as diagnosis,
random() < 0.1 as smoker,
date '2020-01-01' + cast(random() * 1000 as integer) as admitted,
cast(random() * 100 as integer) as ward,
'GT-I' || cast(9000 + random() * 300 as integer) as device,
cast(random() * 60 as integer) as hours,
cast(random() * 5 as integer) as children,
round(random() * 10000, 2) as cost,
cast(random() * 100000 as integer) as salary
"""


def used() -> float:
    """CPU seconds of all commands so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--format", nargs="+", default=["csv", "parquet"])
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        for kind in arguments.format:
            file = folder / f"visits_{arguments.rows}.{kind}"
            if not file.exists():
                select = f"select {COLUMNS} from range({arguments.rows}) as made (i)"
                columns = select.format(rows=arguments.rows)
                duckdb.connect().execute(f"copy ({columns}) to '{file}'")
            start, before = time.perf_counter(), used()
            subprocess.run(
                [sys.executable, "-m", "sqlanon", "init", str(file), "--force",
                 "--output", str(folder / "visits.yml")],
                check=True, capture_output=True,
            )  # fmt: skip
            seconds = time.perf_counter() - start
            cpu = used() - before
            print(f"{kind:8} {arguments.rows:>12,} rows {seconds:6.1f} s, CPU {cpu:6.1f} s")


if __name__ == "__main__":
    main()
