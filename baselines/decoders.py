"""Decoders: who draws the tokens of rollouts, if not the model as it is.

A vLLM server, started with `trl vllm-serve`, is token-exact: it is asked with token ids and answers
with token ids and their log-probabilities, and TRL keeps its weights those of the trainer. Start it
with `--logprobs-mode processed_logprobs`, so that these are of the distribution that was drawn
from. Its draws depend on their seeds and on what else it computes beside them, so that two runs
need not be equal.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any, Protocol, cast

from coworkgym.errors import InfrastructureError, SettingsError
from coworkgym.policies.local import TransformersPolicy
from coworkgym.policies.local.decoder import Completion, Row


class Client(Protocol):
    """What is needed of `trl.generation.vllm_client.VLLMClient`."""

    def generate(self, prompts: list[list[int]], **settings: Any) -> dict[str, Any]:
        """Returns completion_ids and logprobs."""
        ...


class ServerDecoder:
    """Continues rows on a server, one request a row.

    Args:
        client: Of the server.
        stop_ids: Tokens that end a turn.
        temperature: Above 0.
        requests: Requests at the same time.
    """

    def __init__(
        self, client: Client, stop_ids: Sequence[int], temperature: float, requests: int = 64
    ) -> None:
        self._client, self._stops = client, list(stop_ids)
        self._temperature, self._requests = temperature, requests

    def complete(self, rows: Sequence[Row]) -> list[Completion]:
        """Returns a continuation of each row.

        Raises:
            InfrastructureError: When the server does not answer.
        """
        with ThreadPoolExecutor(max_workers=min(self._requests, len(rows))) as pool:
            return list(pool.map(self._one, rows))

    def _one(self, row: Row) -> Completion:
        try:
            answer = self._client.generate(
                [list(row.ids)],
                temperature=self._temperature,
                max_tokens=row.limit,
                logprobs=0,
                generation_kwargs={
                    "seed": row.seed % 2**31,
                    "stop_token_ids": self._stops,
                    "skip_special_tokens": False,
                },
            )
        except Exception as error:  # TRL's client raises Exception itself for any bad status
            raise InfrastructureError(f"the vLLM server did not answer: {error}") from error
        ids = tuple(answer["completion_ids"][0])
        logprobs = tuple(float("nan") if p[0] is None else p[0] for p in answer["logprobs"][0])
        return Completion(ids, logprobs, bool(ids) and ids[-1] in self._stops, None)


def connect(url: str) -> Client:
    """Returns a client of a server.

    Raises:
        SettingsError: Where vLLM is not installed, which TRL's client needs to send weights.
    """
    if find_spec("vllm") is None:
        raise SettingsError(
            "--vllm-server needs vLLM beside the trainer, to send weights: pip install 'trl[vllm]'"
        )
    from trl.generation.vllm_client import VLLMClient

    return cast(Client, VLLMClient(base_url=url, connection_timeout=120))


def served(policy: TransformersPolicy, client: Client, temperature: float) -> TransformersPolicy:
    """Returns the policy with its tokens drawn by a server."""
    stops = [policy._format.end_of_turn.id]
    policy._decoder = ServerDecoder(client, stops, temperature)  # type: ignore[assignment]
    return policy
