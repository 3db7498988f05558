"""Run by ``test_users.py`` with the package of a framework: what several users say to one agent, turn after turn.

The arguments are the framework and, as JSON, the turns: the user (null: none is named), the session and the message.
Each turn begins with a new agent, so that what the model is given of earlier ones has come from Reverie.
"""

from __future__ import annotations

import asyncio
import json
import sys

from reverie_client.integrations.agent_memory import AgentMemory, turn

AGENT = "a"
MODEL = "gpt-4o-mini"
INSTRUCTIONS = "You are a waiter."


def memory_of(user: str | None, session: str) -> AgentMemory:
    return AgentMemory(AGENT, user=user, session=session)


async def openai_agents(user: str | None, session: str, message: str) -> None:
    from agents import Agent, RunConfig, Runner

    from reverie_client.integrations.openai_agents import ReverieSession

    history = ReverieSession(memory_of(user, session))
    config = RunConfig(call_model_input_filter=history.recall)
    waiter = Agent(name=AGENT, instructions=INSTRUCTIONS, model=MODEL)
    await Runner.run(waiter, message, session=history, run_config=config)


async def anthropic(user: str | None, session: str, message: str) -> None:
    from anthropic import Anthropic

    from reverie_client.integrations.anthropic import ReverieMemoryTool

    tools = [ReverieMemoryTool(memory_of(user, session))]
    said = [{"role": "user", "content": message}]
    Anthropic().beta.messages.tool_runner(model="claude", max_tokens=1_000, messages=said, tools=tools).until_done()


async def google_adk(user: str | None, session: str, message: str) -> None:
    from google.adk.agents import Agent
    from google.adk.models.lite_llm import LiteLlm
    from google.adk.runners import Runner
    from google.adk.sessions import InMemorySessionService
    from google.adk.tools.preload_memory_tool import PreloadMemoryTool
    from google.genai import types

    from reverie_client.integrations.google_adk import ReverieMemoryService

    place = {"app_name": AGENT, "user_id": user or "", "session_id": f"{session} at {message}"}
    sessions, memory = InMemorySessionService(), ReverieMemoryService(AgentMemory())
    waiter = Agent(name=AGENT, model=LiteLlm(f"openai/{MODEL}"), instruction=INSTRUCTIONS, tools=[PreloadMemoryTool()])
    runner = Runner(agent=waiter, app_name=AGENT, session_service=sessions, memory_service=memory)
    await sessions.create_session(**place)
    said = types.Content(role="user", parts=[types.Part(text=message)])
    async for _ in runner.run_async(user_id=place["user_id"], session_id=place["session_id"], new_message=said):
        pass
    await memory.add_session_to_memory(await sessions.get_session(**place))


async def llama_index(user: str | None, session: str, message: str) -> None:
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.llms.openai import OpenAI

    from reverie_client.integrations.llama_index import ReverieMemory

    waiter = FunctionAgent(llm=OpenAI(MODEL), system_prompt=INSTRUCTIONS, streaming=False)
    await waiter.run(message, memory=ReverieMemory(memory_of(user, session)))


async def pydantic_ai(user: str | None, session: str, message: str) -> None:
    """The toolset keeps statements and no conversation, so what was said is remembered beside it."""
    from pydantic_ai import Agent

    from reverie_client.integrations.pydantic_ai import ReverieToolset

    memory = memory_of(user, session)
    waiter = Agent(f"openai-chat:{MODEL}", instructions=INSTRUCTIONS, toolsets=[ReverieToolset(memory)])
    await waiter.run(message)
    await asyncio.to_thread(memory.remember, [turn("user", message)])


async def agent_framework(user: str | None, session: str, message: str) -> None:
    from agent_framework import Agent
    from agent_framework.openai import OpenAIChatCompletionClient

    from reverie_client.integrations.agent_framework import ReverieContextProvider

    providers = [ReverieContextProvider(memory_of(user, "replaced by the session of the framework"))]
    client = OpenAIChatCompletionClient(model=MODEL)
    waiter = Agent(client, instructions=INSTRUCTIONS, context_providers=providers)
    await waiter.run(message, session=waiter.create_session(session_id=session))


async def autogen(user: str | None, session: str, message: str) -> None:
    from autogen_agentchat.agents import AssistantAgent
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    from reverie_client.integrations.autogen import ReverieMemory

    memory = ReverieMemory(memory_of(user, session))
    waiter = AssistantAgent(AGENT, OpenAIChatCompletionClient(model=MODEL), memory=[memory])
    await waiter.run(task=message)
    await memory.close()


async def strands(user: str | None, session: str, message: str) -> None:
    from strands import Agent
    from strands.memory import MemoryManager
    from strands.models.openai import OpenAIModel

    from reverie_client.integrations.strands import ReverieMemoryStore

    manager = MemoryManager([ReverieMemoryStore(memory_of(user, session))])
    model = OpenAIModel(model_id=MODEL)
    waiter = Agent(model=model, system_prompt=INSTRUCTIONS, memory_manager=manager, callback_handler=None)
    await waiter.invoke_async(message)


async def langchain(user: str | None, session: str, message: str) -> None:
    """Give the model what the middleware, the history and the retriever know."""
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI

    from reverie_client.integrations.langchain import ReverieChatMessageHistory, ReverieMiddleware, ReverieRetriever

    memory = memory_of(user, session)
    found = "\n".join(one.page_content for one in ReverieRetriever(memory=memory).invoke(message))
    waiter = create_agent(
        ChatOpenAI(model=MODEL), system_prompt=f"{INSTRUCTIONS}\n{found}", middleware=[ReverieMiddleware(memory)]
    )
    waiter.invoke({"messages": [*ReverieChatMessageHistory(memory).messages, ("user", message)]})


async def haystack(user: str | None, session: str, message: str) -> None:
    from haystack import Pipeline
    from haystack.components.builders import ChatPromptBuilder
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.dataclasses import ChatMessage

    from reverie_client.integrations.haystack import ReverieRetriever, ReverieWriter

    memory = memory_of(user, session)
    template = [
        ChatMessage.from_system(INSTRUCTIONS + "{% for one in known %}{{ one.content }}\n{% endfor %}"),
        ChatMessage.from_user("{{ message }}"),
    ]
    waiter = Pipeline()
    waiter.add_component("known", ReverieRetriever(memory))
    waiter.add_component("prompt", ChatPromptBuilder(template, required_variables="*"))
    waiter.add_component("model", OpenAIChatGenerator(model=MODEL))
    waiter.connect("known.documents", "prompt.known")
    waiter.connect("prompt.prompt", "model.messages")
    [answer] = waiter.run({"known": {"query": message}, "prompt": {"message": message}})["model"]["replies"]
    ReverieWriter(memory).run([ChatMessage.from_user(message), answer])


async def converse(framework: str, turns: list[tuple[str | None, str, str]]) -> None:
    say = globals()[framework.replace("-", "_")]
    for user, session, message in turns:
        await say(user, session, message)


asyncio.run(converse(sys.argv[1], json.loads(sys.argv[2])))
