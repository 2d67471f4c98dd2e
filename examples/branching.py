"""Branching: fork an episode at each step and let k continuations show what the step was worth.

Walks along the reference solution. Before and after each call it forks the environment k times and
plays to the end with a policy that makes mistakes; the difference of the two means is the
Monte-Carlo credit of the call.

python examples/branching.py --k 16
"""

import argparse
import random
from statistics import mean

import gymnasium as gym
from rich.console import Console
from rich.table import Table

import coworkgym  # noqa: F401  registers the ids cowork/...


def continuation(env, position, slips):
    """Plays a fork to its end along the solution, leaving out the calls where `slips` says so."""
    branch = env.unwrapped.fork()
    reward, over = 0.0, False
    for call, slip in list(zip(branch.task.solution, slips, strict=True))[position:]:
        if not (over or slip):
            _, reward, terminated, truncated, _ = branch.step(call._asdict())
            over = terminated or truncated
    return float(reward)


def main():
    """Prints the credit of each call of one task."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--env", default="cowork/escalation-v0")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--k", type=int, default=16, help="continuations of each state")
    parser.add_argument("--slip", type=float, default=0.25, help="chance to leave a call out")
    args = parser.parse_args()

    env = gym.make(args.env)
    env.reset(seed=args.seed)
    solution = env.unwrapped.task.solution
    rng = random.Random(args.seed)
    # The same slips at every position: what differs between two means is the call itself.
    slips = [
        [call.name != "reply" and rng.random() < args.slip for call in solution]
        for _ in range(args.k)
    ]
    values = []
    for position in range(len(solution)):
        values.append(mean(continuation(env, position, slip) for slip in slips))
        _, reward, *_ = env.step(solution[position]._asdict())
    values.append(float(reward))

    table = Table("step", "call", "value before", "credit", box=None, pad_edge=False)
    for step, call in enumerate(solution):
        credit = values[step + 1] - values[step]
        table.add_row(str(step + 1), call.name, f"{values[step]:.2f}", f"{credit:+.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
