"""The tiny model's tokenizer: short sequences, and values that read the same wherever they stand.

Fixed phrases (a tool's schema, the head of its call, the sentences of the system message) are one
token each. The rest is byte-level BPE within pieces: a JSON key with its punctuation is one piece,
and so is a word, a pair of digits, the month and the day of a date. No name, address or id is a
token as a whole, and what stands around a value never changes its tokens, so it can be copied.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

from baselines.tiny.drills import Drill
from baselines.tiny.listings import PACKAGES
from coworkgym.company import Company
from coworkgym.policies.local.chat_format import TEMPLATE
from coworkgym.services import Office, World, reply
from coworkgym.tasks import get_package
from coworkgym.transcript import tools_to_openai

END = "<|im_end|>"
PAD = "<|endoftext|>"
SPECIAL = (PAD, "<|im_start|>", END)
_MARKS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")
_PIECES = "|".join((
    r'["\]}]*,?\s?[{\[]*"[a-z_]+":\s?(?:[\[{]+(?="[a-z_]+":)|["\[{]*)',  # a JSON key
    r"[A-Z]{2,4}-(?=\d)",  # TK-
    r"\d{4}(?=-\d\d-\d\d)|-\d\d(?!\d)|T(?=\d\d:\d\d)|(?::00)?Z \(|:\d\d(?!\d)",  # a date, a time
    r"\.\d\d(?!\d)|\d{1,2}",
    r"[A-Z][a-z]+/[A-Z][A-Za-z_]+",  # Europe/Berlin
    r" [a-z]+(?![a-z]|[.\-][a-z]|@)|\p{L}+",
    r'["\]}\[{]+,?|[^\p{L}\d"\]}\[{]+',
))  # fmt: skip
_NAMES = 120  # companies whose words are counted; words are shared by all splits, names are not


def train_tokenizer(drills: Sequence[Drill], vocabulary: int = 3456) -> PreTrainedTokenizerFast:
    """Returns a tokenizer trained on drills.

    Args:
        drills: Training drills.
        vocabulary: Number of tokens, phrases included.
    """
    phrases = fixed_phrases()
    made = Tokenizer(models.BPE())
    bare = PreTrainedTokenizerFast(tokenizer_object=made)  # type: ignore[no-untyped-call]
    bare.chat_template = TEMPLATE.read_text(encoding="utf-8")
    texts = [render(bare, drill.messages, drill.tools) for drill in drills]
    pieces = pre_tokenizers.Split(Regex(_PIECES), "isolated")
    whole = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.pre_tokenizer = pre_tokenizers.Sequence([pieces, whole])
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary - len(phrases) - len(_MARKS),
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(_plain(texts, phrases), trainer)
    made.add_tokens([AddedToken(text, normalized=False) for text in (*_MARKS, *phrases)])
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=made, eos_token=END, pad_token=PAD, clean_up_tokenization_spaces=False
    )
    tokenizer.chat_template = bare.chat_template
    return tokenizer


def fixed_phrases() -> list[str]:
    """Returns the texts that are one token each."""
    tools = {name: made for package in PACKAGES
             for name, made in get_package(package).tool_map("easy").items()}  # fmt: skip
    tools["reply"] = reply
    schemas = tools_to_openai([made.schema for made in tools.values()])
    template = TEMPLATE.read_text(encoding="utf-8")
    before, after = (_literal(template, mark) for mark in ("# Tools", "</tools>\\n\\nFor"))
    return [
        *("\n" + json.dumps(schema, ensure_ascii=False) for schema in schemas),
        *(f'<tool_call>\n{{"name": "{name}", "arguments": {{' for name in tools),
        *(f"{close}}}}}\n</tool_call>" for close in ("", '"', '"]', "]")),
        before, after, "system\nYou work for ", "user\n", "assistant\n",
        "user\n<tool_response>\n", '{"delivered":true}', "\n</tool_response>", "\nIt is ",
        *_sentences(),
    ]  # fmt: skip


def _literal(template: str, mark: str) -> str:
    """The template's own text that holds a mark."""
    quoted = template[template.rindex("'", 0, template.index(mark)) + 1 :]
    return quoted[: quoted.index("' }}")].replace("\\n", "\n")


def _sentences() -> Iterator[str]:
    """What every system message says, and the house rules of warmup tasks."""
    found: dict[str, int] = {}
    for package in map(get_package, PACKAGES):
        for seed in range(8):
            task = package.build(package.item(seed=seed, level="warmup"))
            closing = task.opening[0]["content"].rpartition("\n")[2]
            for line in ["\nHouse rules:", "\n" + closing, *(f"\n- {rule}" for rule in task.rules)]:
                found[line] = found.get(line, 0) + 1
    yield from (line for line, times in found.items() if times > 2)


def _plain(texts: Iterable[str], phrases: Sequence[str]) -> Iterator[str]:
    """What is left of the texts without the phrases, and the words and numbers to know."""
    for text in texts:
        rest = text
        for phrase in (*SPECIAL, *sorted(phrases, key=len, reverse=True)):
            rest = rest.replace(phrase, "\0")
        yield from 4 * rest.split("\0")
    for number in range(100):
        yield from [f"{number:02}", f"-{number:02}", f":{number:02}", f".{number:02}"] * 400
    yield from 40 * list(_offices())
    for seed in range(_NAMES):
        cast = Company(Random(seed), split="train", language="en", customers=12, suppliers=12)
        for person in cast.staff:
            yield f"{person.name} {person.email}"
        for firm in cast.customers:
            yield f"{firm.name} {firm.contact.name} {firm.contact.email}"
        for supplier in cast.suppliers:
            yield f"{supplier.name} {supplier.contact.name} {supplier.contact.email}"


def _offices() -> Iterator[str]:
    """How the tools are called, and what training worlds of warmup hold and ask."""
    for package in map(get_package, PACKAGES):
        for made in package.tool_map("easy").values():
            for name in made.schema["parameters"]["properties"]:
                yield from (f'"{name}": "', f', "{name}": ', f'", "{name}": "', f'","{name}":"')
        for seed in range(4):
            task = package.build(package.item(seed=seed, level="warmup"))
            office = Office(World(task.base), task.tools, task.zone, task.owner)
            yield from (office.call(call).content for call in task.solution)
            yield from (message["content"] for message in task.opening)


def render(tokenizer: PreTrainedTokenizerBase, messages: list[Any], tools: list[Any]) -> str:
    """Returns a chat as the template writes it."""
    text = tokenizer.apply_chat_template(messages, tools=tools, tokenize=False)
    return str(text)
