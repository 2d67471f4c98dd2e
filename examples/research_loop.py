"""A research loop against plain `gym.make`: a policy of a few rules meets a random one.

python examples/research_loop.py
"""

import json
from statistics import mean

import gymnasium as gym

import coworkgym  # noqa: F401  registers the ids cowork/...

SEEDS = range(20)


def results(obs, name):
    """Returns what a tool has answered so far, oldest first."""
    names = {c["id"]: c["name"] for m in obs for c in m.get("tool_calls", ())}
    answers = [m for m in obs if m["role"] == "tool" and names[m["tool_call_id"]] == name]
    return [json.loads(message["content"]) for message in answers]


def by_rules(obs):
    """Looks up the customers of old open tickets and names the enterprise ones in the reply."""
    tickets = [t for page in results(obs, "helpdesk_list_tickets") for t in page["tickets"]]
    if not tickets:
        return {"name": "helpdesk_list_tickets", "arguments": {"status": "open"}}
    known = {c["customer_id"]: c for c in results(obs, "crm_get_customer")}
    oldest = sorted(tickets, key=lambda ticket: ticket["created_at"])[:4]
    unknown = [t["customer_id"] for t in oldest if t["customer_id"] not in known]
    if unknown:
        return {"name": "crm_get_customer", "arguments": {"customer_id": unknown[0]}}
    chosen = next((t for t in oldest if known[t["customer_id"]]["tier"] == "enterprise"), oldest[0])
    escalated = [r["ticket"]["ticket_id"] for r in results(obs, "helpdesk_escalate_ticket")]
    if escalated:
        return {"name": "reply", "arguments": {"text": f"I escalated {escalated[0]}."}}
    arguments = {"ticket_id": chosen["ticket_id"], "reason": "Open for more than 48 hours."}
    return {"name": "helpdesk_escalate_ticket", "arguments": arguments}


env = gym.make("cowork/escalation-v0", level="easy")
env.action_space.seed(0)
for name, policy in (("rules", by_rules), ("random", lambda obs: env.action_space.sample())):
    returns = []
    for seed in SEEDS:
        obs, info = env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            obs, reward, terminated, truncated, info = env.step(policy(obs))
            total, over = total + reward, terminated or truncated
        returns.append(total)
    print(f"{name:8} mean return {mean(returns):.2f} over {len(returns)} tasks")
