"""The consent page: the user signs in with a key, sees who asks for what, and approves or denies.

A form carries a token against CSRF, which is also in a sealed cookie (SameSite=Strict). Nothing is decided by a GET.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from mcp.server.auth.provider import construct_redirect_uri
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from service.api.errors import problem_response
from service.domain.field_types import Name
from service.domain.keys import Whoami
from service.domain.principal import Principal
from service.domain.redirect_uris import shown_destination
from service.errors import Forbidden, InvalidInput, NotFound, ReverieError, Unauthenticated
from service.memory.access.keys import authenticate, describe_caller
from service.memory.access.oauth import (
    Client,
    CodeBinding,
    approve,
    find_client,
    grantable_scopes,
    name_in_workspace,
)
from service.memory.agents import list_agents
from service.memory.engine import Engine
from service.oauth.pages import message, page
from service.oauth.provider import CONSENT_PATH, ConsentRequest
from service.sealing import SEALED_S, seal_of
from service.studio.session_cookie import BrowserSession, session_cookie_of

COOKIE = "reverie_consent"
AGENTS_LISTED = 100
SCOPE_TEXTS = {
    "read": "read memories, documents and conversations",
    "write": "save, change and delete memories",
    "dream": "have memories consolidated (dreams)",
    "export": "export all memories",
}
CHOSEN_UNASKED = ("read", "write")
"""Scopes that are chosen at first where the client names none."""
_NAME: TypeAdapter[str] = TypeAdapter(Name)


class Visit(BaseModel):
    """A browser at the consent page: the token against CSRF, and the key that the user signed in with."""

    csrf: str = Field(default_factory=lambda: secrets.token_urlsafe(32))
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A request at the consent page: who asks for what, and the browser that shows it."""

    sealed: str
    request: ConsentRequest
    client: Client
    visit: Visit


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Whose consent it would be, and what ``/v1/whoami`` says of the key."""

    principal: Principal
    known: Whoami


async def show(request: Request) -> Response:
    """The page that asks for a key, or for a decision once there is one."""
    if request.headers.get("sec-fetch-site") in ("cross-site", "same-site") and "again" not in request.query_params:
        # Browsers send SameSite=Strict cookies with a navigation that this page starts, not with one from elsewhere.
        return page("again", here=f"{CONSENT_PATH}?request={quote(request.query_params.get('request', ''))}&again=1")
    try:
        asked = await _asked(request, request.query_params.get("request"))
        return await _next_step(request, asked)
    except ReverieError as error:
        return _refused(error)


async def decide(request: Request) -> Response:
    """Take in what the user has filled in: a key, or a decision."""
    form = await request.form()
    try:
        asked = await _asked(request, _text(form, "request"))
        _check_own(request, asked, form)
        match _text(form, "action"):
            case "sign-in":
                return await _sign_in(request, asked, form)
            case "sign-out":
                return _answer(request, asked, Visit(csrf=asked.visit.csrf), _back(asked))
            case "approve":
                return await _approve(request, asked, form)
            case "deny":
                denied = _redirect(asked, error="access_denied", error_description="The user denied the request.")
                return _answer(request, asked, None, denied)
        raise InvalidInput(("body", "action"), "must be sign-in, sign-out, approve or deny")
    except ReverieError as error:
        return _refused(error)


async def _asked(request: Request, sealed: str | None) -> Asked:
    opened = seal_of(request).open(sealed or "", ConsentRequest)
    if opened is None:
        raise InvalidInput((), "This link is not valid any more. Start again in the app.")
    client = await find_client(_engine(request), opened.client_id)
    if client is None:
        raise NotFound("The app is not registered any more. Start again in the app.")
    visit = seal_of(request).open(request.cookies.get(COOKIE, ""), Visit) or Visit()
    return Asked(sealed or "", opened, client, visit)


def _check_own(request: Request, asked: Asked, form: FormData) -> None:
    """Raise Forbidden for a form that no page of ours has sent from this browser."""
    foreign = request.headers.get("sec-fetch-site") not in (None, "same-origin")
    if foreign or not hmac.compare_digest(_text(form, "csrf").encode(), asked.visit.csrf.encode()):
        raise Forbidden("This form was not sent from the consent page, or too late. Start again in the app.")


async def _next_step(request: Request, asked: Asked, error: ReverieError | None = None) -> Response:
    if asked.visit.key is None:
        return _sign_in_page(request, asked, error)
    try:
        signed_in = await _signed_in(request, asked.visit.key)
    except (Unauthenticated, Forbidden) as refused:
        return _sign_in_page(request, asked, refused)
    return await _consent_page(request, asked, signed_in, error)


async def _signed_in(request: Request, key: str) -> SignedIn:
    engine = _engine(request)
    principal = await authenticate(engine, key)
    known = await describe_caller(engine, principal)
    if known.client_id is not None:
        raise Forbidden("This is the access of an app. Sign in with an API key.")
    return SignedIn(principal, known)


async def _sign_in(request: Request, asked: Asked, form: FormData) -> Response:
    given = _text(form, "key").strip()
    held = _held(request).find(_text(form, "held"))
    key = given or (held.key if held else "")
    try:
        if not key:
            raise Unauthenticated("Enter an API key.")
        await _signed_in(request, key)
    except (Unauthenticated, Forbidden) as refused:
        return _sign_in_page(request, asked, refused)
    return _answer(request, asked, Visit(csrf=asked.visit.csrf, key=key), _back(asked))


async def _approve(request: Request, asked: Asked, form: FormData) -> Response:
    if asked.visit.key is None:
        raise Unauthenticated("Sign in first.")
    principal = (await _signed_in(request, asked.visit.key)).principal
    try:
        agent = _name(form, "agent")
        user = _name(form, "user") if _text(form, "user").strip() else None
    except InvalidInput as error:
        return await _next_step(request, asked, error)
    params = asked.request.params
    binding = CodeBinding(
        client_id=asked.client.id,
        granted_by=principal.key_id,
        challenge=params.code_challenge,
        redirect_uri=str(params.redirect_uri),
        redirect_uri_given=params.redirect_uri_provided_explicitly,
    )
    scopes = [scope for scope in form.getlist("scope") if isinstance(scope, str)]
    try:
        code = await approve(_engine(request), principal, asked.client, binding, agent, scopes, user=user)
    except (InvalidInput, Forbidden) as error:
        return await _next_step(request, asked, error)
    return _answer(request, asked, None, _redirect(asked, code=code))


def _sign_in_page(request: Request, asked: Asked, error: ReverieError | None) -> Response:
    held = [one.described() for one in _held(request).keys]
    return _page(request, asked, "sign_in", error, held_keys=held)


async def _consent_page(request: Request, asked: Asked, signed_in: SignedIn, error: ReverieError | None) -> Response:
    principal = signed_in.principal
    wanted = asked.request.params.scopes
    offered = grantable_scopes(principal, wanted) or grantable_scopes(principal)
    agents, _ = await list_agents(_engine(request), principal, limit=AGENTS_LISTED, cursor=None)
    name = await name_in_workspace(_engine(request), principal.workspace_id, asked.client)
    asked = replace(asked, client=replace(asked.client, name=name))
    return _page(
        request, asked, "consent", error,
        key_name=signed_in.known.name,
        workspace=signed_in.known.workspace,
        own_agent=principal.agent,
        own_user=principal.user,
        agent=agents[0].agent if len(agents) == 1 else "",
        agents=[one.agent for one in agents],
        scopes=[
            {"name": scope, "text": SCOPE_TEXTS[scope], "chosen": scope in (wanted or CHOSEN_UNASKED)}
            for scope in offered
        ],
    )  # fmt: skip


def _page(request: Request, asked: Asked, name: str, error: ReverieError | None, **values: Any) -> Response:
    uri = str(asked.request.params.redirect_uri)
    response = page(
        name, problem_response(error).status_code if error else 200,
        redirect_uri=uri, action=CONSENT_PATH, request=asked.sealed, csrf=asked.visit.csrf,
        client=asked.client.name, destination=shown_destination(uri), error=error.message if error else None,
        **values,
    )  # fmt: skip
    return _answer(request, asked, asked.visit, response)


def _answer(request: Request, asked: Asked, visit: Visit | None, response: Response) -> Response:
    """The response, with the visit in its cookie; None ends it."""
    secure = asked.request.base.startswith("https:")
    if visit is None:
        response.delete_cookie(COOKIE, path=CONSENT_PATH, httponly=True, samesite="strict", secure=secure)
    else:
        value = seal_of(request).close(visit)
        response.set_cookie(
            COOKIE, value, max_age=SEALED_S, path=CONSENT_PATH, httponly=True, samesite="strict", secure=secure
        )
    return response


def _back(asked: Asked) -> Response:
    return _see_other(f"{CONSENT_PATH}?request={asked.sealed}")


def _redirect(asked: Asked, **answer: str) -> Response:
    """Back to the client, with ``iss`` (RFC 9207)."""
    params = asked.request.params
    uri = construct_redirect_uri(str(params.redirect_uri), **answer, state=params.state, iss=asked.request.base)
    return _see_other(uri)


def _see_other(url: str) -> Response:
    return RedirectResponse(url, 303, {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"})


def _refused(error: ReverieError) -> Response:
    answer = problem_response(error)
    refusal = message(answer.status_code, "This does not work", error.message)
    if "retry-after" in answer.headers:
        refusal.headers["Retry-After"] = answer.headers["retry-after"]
    return refusal


def _held(request: Request) -> BrowserSession:
    """The keys of this browser's session of the Studio."""
    return session_cookie_of(request).open(dict(request.scope["headers"]))


def _engine(request: Request) -> Engine:
    engine: Engine = request.app.state.engine
    return engine


def _name(form: FormData, field: str) -> str:
    """Raises InvalidInput for what is no name."""
    try:
        return _NAME.validate_python(_text(form, field).strip())
    except ValidationError:
        raise InvalidInput(("body", field), f"Name the {field}: 1 to 200 printable characters.") from None


def _text(form: FormData, field: str) -> str:
    value = form.get(field)
    return value if isinstance(value, str) else ""
