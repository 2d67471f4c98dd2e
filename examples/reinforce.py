"""REINFORCE in plain PyTorch against plain `gym.make`: no trainer, and no language model.

The policy is a softmax over the calls that the records read so far suggest; what it learns are the
weights of what can be said of a call, such as "mail the manager of an old enterprise ticket".

python examples/reinforce.py --episodes 800
"""

import argparse
import json
from datetime import datetime

import gymnasium as gym
import torch

import coworkgym  # noqa: F401  registers the ids cowork/...

BATCH, TASKS, LEARNING_RATE = 16, 32, 0.1
WORDS = {}  # the number of everything that can be said of a call
WEIGHTS = torch.zeros(128, requires_grad=True)


def age(ticket, system):
    """Whether a ticket is old or new, by the local times in what was read."""
    now = datetime.fromisoformat(" ".join(system.split("It is ")[1].split()[1:3]))
    made = datetime.fromisoformat(ticket["created_at"].split("(")[1][:16])
    return "old" if (now - made).total_seconds() > 48 * 3600 else "new"


def candidates(obs):
    """Calls that what was read suggests: name, arguments, what can be said of it."""
    done = [(c["name"], dict(c["arguments"])) for m in obs for c in m.get("tool_calls", ())]
    read = [json.loads(m["content"]) for m in obs if m["role"] == "tool"]
    firms = {record["customer_id"]: record for record in read if "tier" in record}
    people = {record["contact_id"]: record for record in read if "contact_id" in record}
    raised = [record["ticket"]["ticket_id"] for record in read if "ticket" in record]
    sent = sum(record.get("status") == "sent" for record in read)
    calls = [("helpdesk_list_tickets", {"status": "open"}, "list")]
    for ticket in {t["ticket_id"]: t for page in read for t in page.get("tickets", ())}.values():
        key, firm = ticket["ticket_id"], firms.get(ticket["customer_id"], {})
        told = f"{age(ticket, obs[0]['content'])} {firm.get('tier')}"
        calls.append(("crm_get_customer", {"customer_id": ticket["customer_id"]}, f"firm {told}"))
        reason = {"ticket_id": key, "reason": "Open for more than 48 hours."}
        calls.append(("helpdesk_escalate_ticket", reason, f"escalate {told}"))
        if manager := firm.get("account_manager"):
            calls.append(("contacts_get", {"contact_id": manager}, f"manager {told}"))
            if manager in people and key in raised:
                mail = {"to": people[manager]["email"], "subject": key, "body": key}
                calls.append(("gmail_send_message", mail, f"mail {told}"))
    text = {"text": "Escalated: " + ", ".join(raised)}
    calls.append(("reply", text, f"reply {min(len(raised), 2)} {min(sent, 2)}"))
    return [(n, a, [w, f"{w.split()[0]} again"] if (n, a) in done else [w]) for n, a, w in calls]


def play(env, seed):
    """One episode: log-probabilities of what was done, and the rewards."""
    (obs, _), over, chances, rewards = env.reset(seed=seed), False, [], []
    while not over:
        calls = candidates(obs)
        said = torch.zeros(len(calls), len(WEIGHTS))
        for row, (_, _, words) in enumerate(calls):
            said[row, [WORDS.setdefault(word, len(WORDS)) for word in words]] = 1
        choice = torch.distributions.Categorical(logits=said @ WEIGHTS)
        picked = choice.sample()
        chances.append(choice.log_prob(picked))
        name, arguments, _ = calls[int(picked)]
        obs, reward, terminated, truncated, _ = env.step({"name": name, "arguments": arguments})
        rewards.append(reward)
        over = terminated or truncated
    return torch.stack(chances), torch.tensor(rewards)


def main(episodes, seed):
    """Learns, and prints the mean return of every tenth of the episodes."""
    torch.manual_seed(seed)
    env = gym.make("cowork/escalation-v0", level="warmup", reward="dense", breach_reward=-0.5)
    optimizer, returns = torch.optim.Adam([WEIGHTS], LEARNING_RATE), []
    while len(returns) < episodes:
        played = [play(env, (len(returns) + n) % TASKS) for n in range(BATCH)]
        to_go = torch.cat([rewards.flip(0).cumsum(0).flip(0) for _, rewards in played])
        gain = (to_go - to_go.mean()) / (to_go.std() + 1e-6)
        optimizer.zero_grad()
        (-torch.cat([chances for chances, _ in played]) * gain).mean().backward()
        optimizer.step()
        returns += [float(rewards.sum()) for _, rewards in played]
    block = max(episodes // 10, 1)
    for start in range(0, episodes, block):
        some = returns[start : start + block]
        print(
            f"episodes {start:4} to {start + len(some):4}: mean return {sum(some) / len(some):.2f}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=800)
    parser.add_argument("--seed", type=int, default=0)
    torch.set_num_threads(1)
    main(**vars(parser.parse_args()))
