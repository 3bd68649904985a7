"""Tests of `sqlanon/privacy_models/`."""
