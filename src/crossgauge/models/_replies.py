"""What a reply of an endpoint means, from its status, headers and first words."""

from __future__ import annotations

import email.utils
import json
import re
import time
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from crossgauge.models._http import Reply
from crossgauge.models._secret import blanked

_AGAIN = frozenset({408, 409, 425, 429})
_HOPELESS = frozenset({401, 404, 405})
_FILTERS = frozenset({"content_filter", "content_policy_violation"})  # the codes of OpenAI and Azure


def stumbled(reply: Reply) -> bool:
    """Whether asking again may help."""
    return reply.status in _AGAIN or reply.status >= HTTPStatus.INTERNAL_SERVER_ERROR


def redirects(reply: Reply) -> bool:
    """Whether it only points elsewhere."""
    return HTTPStatus.MULTIPLE_CHOICES <= reply.status < HTTPStatus.BAD_REQUEST


def hopeless(reply: Reply) -> bool:
    """Whether every other question would get the same: the key, the path or the model is wrong."""
    return reply.status in _HOPELESS


def filtered(reply: Reply) -> bool:
    """Whether a content filter refused: an answer too."""
    error = _error(reply)
    return isinstance(error, dict) and error.get("code") in _FILTERS


def status(reply: Reply) -> str:
    """``status 429 rate limit reached``: with the endpoint's own words where it has some."""
    error = _error(reply)
    words = error.get("message", "") if isinstance(error, dict) else error
    return f"status {reply.status} {blanked(words) if isinstance(words, str) else ''}".strip()


def pointed_to(reply: Reply) -> str:
    """Where a redirect leads, by host alone: a path or query may hold anything."""
    try:
        host = urlsplit(reply.headers.get("Location", "")).hostname
    except ValueError:
        host = None
    return f"a redirect ({reply.status}) to {blanked(host or 'somewhere', most=60)}, which is not followed"


def retry_after(reply: Reply) -> float | None:
    """Seconds from now, given as a number or as a date; None where the endpoint does not say."""
    said = str(reply.headers.get("Retry-After", "")).strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,3})?", said, re.ASCII):
        return float(said)
    try:
        moment: float = email.utils.parsedate_to_datetime(said).timestamp()
    except (ValueError, OverflowError, IndexError, TypeError):
        return None
    return max(0.0, moment - time.time())


def unusable(error: Exception) -> str:
    """Why an answer could not be read."""
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError | RecursionError):
        return "the answer is no JSON"
    return f"the answer is not of the known form: {blanked(str(error))}"


def _error(reply: Reply) -> Any:
    """What the reply calls its error: an object, a text, or nothing."""
    try:
        document = json.loads(reply.body)
    except (ValueError, RecursionError):
        return ""
    return document.get("error", document) if isinstance(document, dict) else document
