"""The office of Claw-Eval: its routes, answers and audits, over our world and audit log."""

from coworkgym.services.dialects.claw_eval.audit import audit
from coworkgym.services.dialects.claw_eval.dialect import FAITHFUL, INTENDED, response
from coworkgym.services.dialects.claw_eval.server import Server, server, servers

__all__ = ["FAITHFUL", "INTENDED", "Server", "audit", "response", "server", "servers"]
