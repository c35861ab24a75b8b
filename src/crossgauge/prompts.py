"""Prompt formats as somebody asked for them: templates, or a benchmark's own formats by name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from crossgauge.benchmark import PLAIN, Prompt
from crossgauge.errors import Fault, UsageError


def chosen_prompts(texts: Sequence[str], own: Sequence[Prompt]) -> tuple[Prompt, ...]:
    """The formats asked for, each once: templates, or the names of a benchmark's ``own`` formats.

    Nothing asked for means the plain template, or the first of its own. Raises UsageError (E113) with all
    that is wrong: a template without exactly one ``{}``, two templates of one name, a format it has not.
    """
    return _named(texts, own) if own else _templates(texts)


def _named(texts: Sequence[str], own: Sequence[Prompt]) -> tuple[Prompt, ...]:
    known = {prompt.name: prompt for prompt in own}
    faults = [
        Fault(
            "E113",
            f"prompt {text!r}",
            "not one of the benchmark's formats",
            f"some of: {', '.join(known)}",
            f"--prompts {next(iter(known))}",
        )
        for text in texts
        if text not in known
    ]
    if faults:
        raise UsageError(faults)
    return tuple(known[text] for text in dict.fromkeys(texts)) or tuple(own[:1])


def _templates(texts: Sequence[str]) -> tuple[Prompt, ...]:
    """Each template once; two may not share a name, which is their folder's."""
    by_name: dict[str, Prompt] = {}
    for text in texts:
        prompt = parse_prompt(text)
        if by_name.setdefault(prompt.name, prompt) != prompt:
            found = f"{by_name[prompt.name].template!r} and {prompt.template!r}"
            raise UsageError(
                Fault("E113", f"prompt {prompt.name}=…", found, "one template a name", "rename one")
            )
    return tuple(by_name.values()) or (PLAIN,)


def parse_prompt(text: str) -> Prompt:
    """``NAME=TEMPLATE`` or a template alone, which is named after its words and a short hash.

    >>> parse_prompt("photo=a photo of {}")
    Prompt(name='photo', template='a photo of {}')
    >>> parse_prompt("{}").name
    'plain'
    """
    name, equals, template = text.partition("=")
    if not (equals and re.fullmatch(r"[A-Za-z0-9_-]{1,40}", name)):
        name, template = "", text
    if template.count("{}") != 1:
        fix = "write e.g. --prompt 'a photo of {}'"
        if re.fullmatch(r"[a-z0-9_-]+", template):
            fix += "; this benchmark has no formats that --prompts could name"
        found = f"{template.count('{}')} places for the text"
        raise UsageError(Fault("E113", f"prompt {text!r}", found, "exactly one {}", fix))
    if template == PLAIN.template:
        return Prompt(name or PLAIN.name, template)
    return Prompt(name or _prompt_name(template), template)


def _prompt_name(template: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", template.casefold()).strip("-")[:24].strip("-")
    return f"{words or 'prompt'}-{hashlib.sha256(template.encode()).hexdigest()[:6]}"
