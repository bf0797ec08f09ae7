"""Channels: what happens to a query's text before it is searched or spoken, and what was done where."""

from __future__ import annotations

from squtr.channels.changed import Changed, Edit, changed
from squtr.channels.channel import Channel, Passed, read_channel
from squtr.channels.operator import Operator

__all__ = ["Changed", "Channel", "Edit", "Operator", "Passed", "changed", "read_channel"]
