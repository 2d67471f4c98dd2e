"""User scripts: what a person knows, wants and says in one stage, as data."""

from pydantic import BaseModel, ConfigDict, Field, model_validator


class _Closed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Fact(_Closed):
    """Something the user knows and says in these words only.

    Attributes:
        says: The user's words.
        asked_by: Phrases; a question that holds one of them is answered with this fact.
        volunteered: Whether it is told with the first answer, asked or not.
    """

    says: str = Field(min_length=1)
    asked_by: tuple[str, ...] = ()
    volunteered: bool = False

    @model_validator(mode="after")
    def _can_be_told(self) -> "Fact":
        if not (self.asked_by or self.volunteered):
            raise ValueError("a fact that nobody asks for must be volunteered")
        return self


class Correction(_Closed):
    """What the user says, once, when a report holds one of these phrases."""

    phrases: tuple[str, ...] = Field(min_length=1)
    says: str = Field(min_length=1)


class UserScript(_Closed):
    """The user of one stage, beyond the opening request.

    Attributes:
        facts: What the user knows; everything else is "I don't have that".
        corrections: What a report must not say.
        change_of_mind: What the user says, once, in answer to the first report; the talk goes on.
        settled_by: Phrases, times of day or dates; a report that holds none of them is sent back.
            Empty: any report does.
        patience: Number of fruitless replies (a question the user cannot answer, a report sent
            back) after which the user gives up and ends the stage.
    """

    facts: tuple[Fact, ...] = ()
    corrections: tuple[Correction, ...] = ()
    change_of_mind: str | None = None
    settled_by: tuple[str, ...] = ()
    patience: int = Field(default=6, ge=1)
