"""Bucketization: similar rows share a bucket, and their sensitive values are permuted."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from sqlanon.methods.partition import Partition, RegionBucketMethod, RelaxableMethod


class Bucketization(RelaxableMethod, RegionBucketMethod):
    """Publish quasi-identifiers unchanged, and permute sensitive values among similar rows.

    The table is cut into regions as in Mondrian; every region is a bucket.
    """

    guarantee: ClassVar[str] = "holds the promise in every bucket; no allowable cut is left"
    source: ClassVar[str] = "Xiao and Tao 2006, Anatomy; LeFevre et al. 2006 for the buckets"
    name: Literal["bucketization"] = "bucketization"

    def __init__(self, partition: Partition = "mondrian", **keys: Any) -> None:
        self._set_keys(partition=partition, **keys)
