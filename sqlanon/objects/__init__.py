"""The parts of a plan as objects, for plans that are written in Python.

`sqlanon.Plan(columns={"age": QuasiIdentifier(Intervals(5, 10))}, privacy=[KAnonymity(5)], …)`
"""
