"""What a chat model is asked for when nothing else is said, and how a prompt names the language."""

from __future__ import annotations

PROMPT = "Describe it in one short sentence. Write the sentence alone.{in_language}"
IN_LANGUAGE = " Write in the language whose BCP-47 code is {language}."


def worded(prompt: str, language: str | None) -> str:
    """The prompt for one language: ``{in_language}`` becomes a sentence, ``{language}`` the BCP-47 code.

    >>> worded(PROMPT, None)
    'Describe it in one short sentence. Write the sentence alone.'
    >>> worded("A query in {language}.", "de")
    'A query in de.'
    """
    in_language = IN_LANGUAGE.replace("{language}", language) if language else ""
    return prompt.replace("{in_language}", in_language).replace("{language}", language or "the same language")
