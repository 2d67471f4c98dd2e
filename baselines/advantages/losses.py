"""Losses: the clipped surrogate and the KL by token, and the four ways to make one number of them.

They take numpy arrays and torch tensors alike, and gradients flow. What stands on masked tokens
never counts: placeholders there may be 0, -inf or NaN, and give neither loss nor gradient.
"""

from dataclasses import dataclass
from typing import Literal

from baselines.advantages.arrays import Array, namespace

Aggregation = Literal["seq-mean-token-mean", "token-mean", "local-token-mean", "const-len"]


@dataclass(frozen=True, slots=True)
class Clip:
    """How far the ratio rho of new to old probability may move a token.

    Attributes:
        low: rho is held above 1 - low; 0.2 in PPO and GRPO.
        high: rho is held below 1 + high; 0.2, and 0.28 in DAPO (clip-higher).
        delta: Upper bound of rho in the unclipped branch (TRL's two-sided clipping); None is none.
        dual: c > 1 of dual clip, which bounds the loss by -c A where A < 0; 3 in verl, which
            always does it; None is none.
        max_log_ratio: Bound of |log rho|; 20 in verl; None is none.
    """

    low: float = 0.2
    high: float = 0.2
    delta: float | None = None
    dual: float | None = None
    max_log_ratio: float | None = None


PPO = Clip()
"""Clipping of PPO, GRPO and Dr.GRPO."""

DAPO = Clip(high=0.28)
"""Clip-higher (arXiv 2503.14476)."""


def policy_loss(
    logp: Array, old_logp: Array, advantages: Array, mask: Array, clip: Clip = PPO
) -> Array:
    """Returns -min(rho A, clip(rho, 1 - low, 1 + high) A) by token, rho = exp(logp - old_logp).

    The surrogate of GRPO (arXiv 2402.03300), before any mean. On masked tokens rho is 1.

    Args:
        logp: (B, T) log-probabilities of the policy; gradients flow through these.
        old_logp: (B, T) those of the policy that wrote the tokens.
        advantages: (B,) one a row, or (B, T).
        mask: (B, T) of 0/1; 1 where the policy wrote the token.
        clip: Bounds of rho.

    Returns:
        (B, T) losses, for `aggregate`.
    """
    xp = namespace(logp)
    log_ratio = _kept(logp, mask) - _kept(old_logp, mask)
    if clip.max_log_ratio is not None:
        log_ratio = xp.clip(log_ratio, -clip.max_log_ratio, clip.max_log_ratio)
    gain = advantages[:, None] if advantages.ndim == 1 else advantages
    ratio = xp.exp(log_ratio)
    free = ratio if clip.delta is None else xp.clip(ratio, None, clip.delta)
    loss = xp.maximum(-free * gain, -xp.clip(ratio, 1 - clip.low, 1 + clip.high) * gain)
    if clip.dual is None:
        return loss
    return xp.where(gain < 0, xp.minimum(-clip.dual * gain, loss), loss)


def k3(
    logp: Array,
    ref_logp: Array,
    mask: Array,
    max_log_ratio: float | None = None,
    cap: float | None = None,
    ratio: Array | None = None,
) -> Array:
    """Returns the k3 estimate of KL(policy || reference) by token: exp(d) - d - 1, d = ref - logp.

    Added to the loss with weight beta, never to the reward. beta is 0 in DAPO, Dr.GRPO and TRL.

    Args:
        logp: (B, T) log-probabilities of the policy.
        ref_logp: (B, T) those of the reference.
        mask: (B, T) of 0/1; the estimate is 0 where it is 0.
        max_log_ratio: Bound of |d|: 20 in NeMo-RL, 40 in oat, none in TRL.
        cap: Upper bound of the estimate: 10 in NeMo-RL.
        ratio: (B, T) rho, by which TRL multiplies (`use_bias_correction_kl`, its default).

    Returns:
        (B, T), >= 0.
    """
    xp = namespace(logp)
    d = _kept(ref_logp, mask) - _kept(logp, mask)
    if max_log_ratio is not None:
        d = xp.clip(d, -max_log_ratio, max_log_ratio)
    kl = xp.exp(d) - d - 1
    kl = kl if cap is None else xp.clip(kl, None, cap)
    return kl if ratio is None else kl * _kept(ratio, mask)


def aggregate(
    loss: Array,
    mask: Array,
    how: Aggregation,
    length: int | None = None,
    tokens: int | None = None,
    rows: int | None = None,
) -> Array:
    """Returns one loss of the losses l of B rows and T tokens, m the mask.

    - `seq-mean-token-mean`: (1/B) sum_i (sum_t l m / max(sum_t m, 1)). GRPO; TRL `grpo`, oat.
    - `token-mean`: sum l m / `tokens`, those of the whole optimisation step: all micro-batches
      and ranks. DAPO; TRL `dapo`, its default; verl.
    - `local-token-mean`: sum l m / sum m of these rows alone; TRL `bnpo`. Micro-batches with few
      tokens then weigh as much as those with many.
    - `const-len`: sum l m / (B L). Dr.GRPO; TRL `dr_grpo`; oat; verl's `seq-mean-token-sum-norm`
      with `loss_scale_factor=L`, whose default is the padded width of the batch instead.

    A row without any unmasked token counts in B and adds 0, as in TRL; verl leaves it out of B,
    and oat's GRPO returns NaN. With `rows` and `tokens` of the whole step, the sum over
    micro-batches is the loss of the step; times the number of ranks where gradients are averaged.

    Args:
        loss: (B, T) losses by token.
        mask: (B, T) of 0/1.
        how: Which of the four.
        length: L, the generation budget, never the padded width; `const-len` needs it.
        tokens: Unmasked tokens of the whole step; `token-mean` needs it.
        rows: B of the whole step; that of `loss` unless given.

    Returns:
        A scalar of the kind of `loss`.

    Raises:
        ValueError: The way is unknown, or its constant is missing.
    """
    kept, real = _kept(loss, mask), mask != 0
    clip = namespace(loss).clip
    count = max(loss.shape[0] if rows is None else rows, 1)
    if how == "seq-mean-token-mean":
        return (kept.sum(-1) / clip(real.sum(-1), 1, None)).sum() / count
    if how == "local-token-mean":
        return kept.sum() / clip(real.sum(), 1, None)
    if how == "token-mean" and tokens is not None:
        return kept.sum() / max(tokens, 1)
    if how == "const-len" and length is not None:
        return kept.sum() / (count * length)
    raise ValueError(
        "how is seq-mean-token-mean, local-token-mean, token-mean with tokens, or const-len with "
        f"length; got {how!r} with tokens={tokens}, length={length}"
    )


def _kept(values: Array, mask: Array) -> Array:
    return namespace(values).where(mask != 0, values, 0.0)
