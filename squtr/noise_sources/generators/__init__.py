"""The generators of synthetic noise: the names that presets use, and the layers they make."""

from __future__ import annotations

from squtr.noise_sources.generators.announcements import Announcement, DoorChime
from squtr.noise_sources.generators.babble import Babble, Calls, Conversation, DiffuseSpeech
from squtr.noise_sources.generators.backgrounds import Noise
from squtr.noise_sources.generators.clatter import Clatter, Clock, Doors, Footsteps, Rustle
from squtr.noise_sources.generators.engines import (
    AirBrakes,
    Diesel,
    Drum,
    Horns,
    Motor,
    Rolling,
    Trains,
    Vehicles,
)
from squtr.noise_sources.generators.layer import Layer
from squtr.noise_sources.generators.music import Bells, Music
from squtr.noise_sources.generators.outdoors import Birds, Insects, Pigeons, Wind
from squtr.noise_sources.generators.water import Sizzle, Steam, Stream

GENERATORS: dict[str, type[Layer]] = {
    "air_brakes": AirBrakes,
    "announcement": Announcement,
    "babble": Babble,
    "bells": Bells,
    "birds": Birds,
    "calls": Calls,
    "clatter": Clatter,
    "clock": Clock,
    "conversation": Conversation,
    "diesel": Diesel,
    "diffuse_speech": DiffuseSpeech,
    "door_chime": DoorChime,
    "doors": Doors,
    "drum": Drum,
    "footsteps": Footsteps,
    "horns": Horns,
    "insects": Insects,
    "motor": Motor,
    "music": Music,
    "noise": Noise,
    "pigeons": Pigeons,
    "rolling": Rolling,
    "rustle": Rustle,
    "sizzle": Sizzle,
    "steam": Steam,
    "stream": Stream,
    "trains": Trains,
    "vehicles": Vehicles,
    "wind": Wind,
}
