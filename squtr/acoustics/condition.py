"""An acoustic condition of a data set: a name, a signal-to-noise ratio, and the operators to apply."""

from __future__ import annotations

from pydantic import Field, field_validator, model_validator

from squtr.acoustics.bursts import Bursts
from squtr.acoustics.room import Room
from squtr.acoustics.second_noise import SecondNoise
from squtr.acoustics.telephone import Telephone
from squtr.section import Section

RESERVED = ("clean", "text")
SNR_LIMIT_DB = 60.0


class Acoustics(Section):
    """What happens to an utterance besides plain noise: speech into a room, noise into bursts, a second
    noise added, speech and noise mixed, the mixture through a telephone line; in this order.
    """

    room: Room | None = None
    bursts: Bursts | None = None
    second_noise: SecondNoise | None = None
    telephone: Telephone | None = None


class Condition(Acoustics):
    """One condition. `name` stands in file names, tables and reports."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=48)
    snr_db: float = Field(ge=-SNR_LIMIT_DB, le=SNR_LIMIT_DB)

    @field_validator("name")
    @classmethod
    def _not_a_plain_name(cls, name: str) -> str:
        if name in RESERVED or name.startswith("snr"):
            raise ValueError(f"{name!r} is what a plain condition is called; choose another name")
        if "__" in name:
            raise ValueError(f"{name!r} has two underscores together, which part a channel from a condition")
        return name

    @model_validator(mode="after")
    def _more_than_noise(self) -> Condition:
        if not any((self.room, self.bursts, self.second_noise, self.telephone)):
            raise ValueError(
                "a condition has room, bursts, second_noise or telephone; plain noise belongs in snrs_db"
            )
        return self
