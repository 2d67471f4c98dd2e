"""REINFORCE in plain PyTorch against plain `gym.make`: no trainer, and no language model.

The policy is a softmax over the calls that the records read so far suggest; what it learns are the
weights of what can be said of a call, such as "mails the manager of the escalated ticket".

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


def hours_old(ticket, system):
    """How long a ticket is open, by the local times in what is read."""
    now = " ".join(system.split("It is ")[1].split()[1:3])
    made = ticket["created_at"].split("(")[1][:16]
    return (datetime.fromisoformat(now) - datetime.fromisoformat(made)).total_seconds() / 3600


def candidates(obs):
    """Calls that what was read suggests, each with what can be said of it."""
    done = [(c["name"], dict(c["arguments"])) for m in obs for c in m.get("tool_calls", ())]
    read = [json.loads(m["content"]) for m in obs if m["role"] == "tool"]
    tickets = {t["ticket_id"]: t for page in read for t in page.get("tickets", ())}
    firms = {record["customer_id"]: record for record in read if "tier" in record}
    people = {record["contact_id"]: record for record in read if "contact_id" in record}
    raised = [record["ticket"]["ticket_id"] for record in read if "ticket" in record]
    sent = sum("message" in record and record.get("status") == "sent" for record in read)
    found = [("helpdesk_list_tickets", {"status": "open"}, "list")]
    for key, ticket in tickets.items():
        old = "old" if hours_old(ticket, obs[0]["content"]) > 48 else "new"
        firm = firms.get(ticket["customer_id"], {"tier": "unknown", "account_manager": None})
        told = f"{old} {firm['tier']}"
        found.append(("crm_get_customer", {"customer_id": ticket["customer_id"]}, f"firm {old}"))
        because = {"ticket_id": key, "reason": "Open for more than 48 hours."}
        found.append(("helpdesk_escalate_ticket", because, f"escalate {told}"))
        if firm["account_manager"]:
            who = {"contact_id": firm["account_manager"]}
            found.append(("contacts_get", who, f"manager {told}"))
        if firm["account_manager"] in people and key in raised:
            mail = {"to": people[firm["account_manager"]]["email"], "subject": key, "body": key}
            found.append(("gmail_send_message", mail, f"mail {told}"))
    reply = {"text": "Escalated: " + ", ".join(raised)}
    found.append(("reply", reply, f"reply {min(len(raised), 2)} {min(sent, 2)}"))
    return [(n, a, [w, f"{w.split()[0]} again"] if (n, a) in done else [w]) for n, a, w in found]


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


def main(episodes, seed=0):
    """Learns, and returns the mean return of each block of a tenth of the episodes."""
    torch.manual_seed(seed)
    WORDS.clear()
    WEIGHTS.data.zero_()
    env = gym.make("cowork/escalation-v0", level="warmup", reward="dense", breach_reward=-0.5)
    optimizer, returns, block = (
        torch.optim.Adam([WEIGHTS], LEARNING_RATE),
        [],
        max(episodes // 10, 1),
    )
    while len(returns) < episodes:
        played = [play(env, (len(returns) + n) % TASKS) for n in range(BATCH)]
        to_go = [
            rewards.flip(0).cumsum(0).flip(0) for _, rewards in played
        ]  # return from each step
        every = torch.cat(to_go)
        gain = (every - every.mean()) / (every.std() + 1e-6)
        loss = -(torch.cat([chances for chances, _ in played]) * gain).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        returns += [float(rewards.sum()) for _, rewards in played]
    blocks = [returns[i : i + block] for i in range(0, episodes, block)]
    for number, values in enumerate(blocks):
        last = min((number + 1) * block, episodes)
        print(
            f"episodes {number * block:5} to {last:5}: mean return {sum(values) / len(values):.2f}"
        )
    return [sum(values) / len(values) for values in blocks]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=800)
    parser.add_argument("--seed", type=int, default=0)
    torch.set_num_threads(1)
    main(**vars(parser.parse_args()))
