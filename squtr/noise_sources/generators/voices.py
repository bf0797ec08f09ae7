"""Who talks in the scenes, and what they say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from squtr.records import Pcm
from squtr.voices._espeak_library import EspeakLibrary

VARIANTS = (
    *("m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "michel", "adam"),
    *("f1", "f2", "f3", "f4", "f5", "Annie", "shelby", "grandma"),
)
ACCENTS = ("en", "en-us", "en-gb-x-rp", "en-gb-scotland", "en-029")

ENGLISH = (
    "Have you seen the weather for the weekend?",
    "My sister moved to a smaller flat near the harbour.",
    "No, the other one, with the blue handle.",
    "We could meet on Thursday, if that suits everyone.",
    "I told him twice that the window does not close.",
    "They changed the timetable again last month.",
    "It was much better than the film we saw in spring.",
    "Could you pass me that, please?",
    "She plays the cello on Tuesdays and never practises.",
    "Half of it is still in boxes in the garage.",
    "Well, somebody has to pay for all of this.",
    "The soup needs a little more salt, I think.",
    "He laughed so much that he dropped his keys.",
    "And then the dog ran straight into the pond!",
    "I would rather walk than wait for another bus.",
    "What did your mother say about the wedding?",
    "There is a new bakery round the corner from us.",
    "Honestly, I have no idea where it went.",
)
MANDARIN = (
    "你今天晚上有空吗？",
    "这个菜比上次好吃多了。",
    "我妈妈说明天要下雨。",
    "他昨天又把钥匙忘在家里了。",
    "我们周末一起去爬山吧。",
    "这件衣服多少钱，能不能便宜一点？",
    "孩子下个月就要上学了。",
    "你听说了吗，他们要搬到南方去。",
    "等一下，我先接个电话。",
    "那家店的面条真的很不错。",
    "没关系，慢慢来，不用着急。",
    "我昨天看了一部很有意思的电影。",
    "医生让他每天早上多走走路。",
    "火车票已经买好了，靠窗的座位。",
)
MEETING = (
    "Let us go back to the second point on the list.",
    "The numbers for March are lower than we expected.",
    "Who is going to write this up by Friday?",
    "I agree with most of that, but not with the date.",
    "我们先看一下上个季度的数据。",
    "这个问题下次会议再讨论吧。",
    "Can everyone see the slide, or is it too small?",
    "预算还没有批下来，所以先不要着急。",
)
NEWS = (
    "Good evening. The council has approved the new bridge across the valley.",
    "Farmers in the north are hoping for rain before the end of the week.",
    "And now to the sport: the visitors won by three goals to one.",
    "各位观众晚上好，欢迎收看今天的新闻节目。",
    "气象部门预计，本周末大部分地区气温将明显下降。",
)
PLATFORM = (
    "The next train will arrive in two minutes. Please stand behind the yellow line.",
    "列车即将进站，请站在黄线以内候车。",
    "Please mind the gap between the train and the platform.",
    "请先下后上，注意脚下安全。",
)
STATION = (
    "The ten forty two service will depart from platform seven.",
    "各位旅客请注意，开往北方的列车现在开始检票。",
    "We apologise for the late arrival of the intercity service.",
    "请携带好您的行李物品，在三号站台候车。",
)
CHILDREN = (
    "Wait for me! Wait for me!",
    "No, it is my turn now!",
    "Look what I have found!",
    "快来呀，我们在这里！",
    "再玩一次好不好！",
    "Higher, push me higher!",
)
TEXTS = {
    "chat": ENGLISH + MANDARIN,
    "meeting": MEETING,
    "news": NEWS,
    "platform": PLATFORM,
    "station": STATION,
    "children": CHILDREN,
}


@dataclass(frozen=True)
class Talker:
    """One person: an eSpeak voice and how it speaks; languages follow the script of each sentence."""

    accent: str
    variant: str
    rate: int
    pitch: int
    pitch_range: int

    def say(self, text: str) -> Pcm:
        """Return int16 samples, shape (n,), at the rate of `SPEECH_RATE`."""
        language = self.accent if text.isascii() else "cmn"
        voice = f"{language}+{self.variant}"
        return EspeakLibrary().speak(
            text, voice, rate=self.rate, pitch=self.pitch, pitch_range=self.pitch_range
        )[0]


SPEECH_RATE = 22_050


def draw_talker(rng: np.random.Generator, pitch: tuple[int, int], rate: tuple[int, int]) -> Talker:
    """Draw a person."""
    return Talker(
        accent=str(rng.choice(ACCENTS)),
        variant=str(rng.choice(VARIANTS)),
        rate=int(rng.integers(*rate, endpoint=True)),
        pitch=int(rng.integers(*pitch, endpoint=True)),
        pitch_range=int(rng.integers(45, 85)),
    )


def draw_text(rng: np.random.Generator, topic: str, sentences: int) -> str:
    """Draw sentences of one language; none returns before all were said."""
    pool = [text for text in TEXTS[topic] if text.isascii()]
    other = [text for text in TEXTS[topic] if not text.isascii()]
    if rng.random() < len(other) / (len(pool) + len(other)):
        pool = other
    order = np.concatenate([rng.permutation(len(pool)) for _ in range(sentences // len(pool) + 1)])
    return " ".join(pool[index] for index in order[:sentences])
