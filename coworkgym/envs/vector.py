"""CoworkVectorEnv: several episodes side by side in one process."""

from typing import Any

from gymnasium.vector import AutoresetMode, SyncVectorEnv

from coworkgym.envs.cowork_env import CoworkEnv


class CoworkVectorEnv(SyncVectorEnv):
    """Steps several CoworkEnv in turn; observations are tuples of transcripts.

    An office answers in microseconds, so one process keeps up with any policy; for separate
    processes use `gym.make_vec(..., vectorization_mode="async", vector_kwargs={"shared_memory":
    False, "context": "spawn"})`.

    Args:
        num_envs: How many.
        autoreset_mode: As Gymnasium defines it.
        kwargs: Keywords of CoworkEnv.
    """

    def __init__(
        self,
        num_envs: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            [lambda: CoworkEnv(**kwargs) for _ in range(num_envs)],
            copy=False,  # transcripts are read-only already
            autoreset_mode=AutoresetMode(autoreset_mode),
        )
