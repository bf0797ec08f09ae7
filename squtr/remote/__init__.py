"""Paid or local HTTP services: one address, retries, a rate limit, a spending cap and kept answers."""

from __future__ import annotations

from squtr.remote.endpoint import Endpoint
from squtr.remote.form import Form
from squtr.remote.http import Reply
from squtr.remote.service import Service
from squtr.remote.trouble import BrokenAnswer, ServiceUnavailable

__all__ = ["BrokenAnswer", "Endpoint", "Form", "Reply", "Service", "ServiceUnavailable"]
