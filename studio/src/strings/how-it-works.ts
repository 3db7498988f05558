/** Texts of the page How it works. */

export const howItWorks = {
  title: "How it works",
  explanation: "What becomes of what your agents say, from the first word to the last recall.",
  open: (page: string) => `Open ${page}`,
  steps: {
    sessions: {
      title: "Agents write",
      text: "An agent saves memories, and appends the turns of its conversations. Every word is kept as the permanent history. The last turns of a session are its window: they go to the model verbatim. What a window has no room for is folded into a summary.",
    },
    dreams: {
      title: "Dreams make memories of it",
      text: "A worker reads what was said since the last dream and takes statements from it: facts, preferences, decisions, goals. It merges what says the same, replaces what has changed, and links people and things. A dream is one commit with a diff, and it can be undone. With a language model it asks the model; without one it goes by built-in rules.",
    },
    search: {
      title: "Memories are found again",
      text: "A search looks for the words (BM25) and for the meaning (vectors), and mixes the two lists into one order. Importance, time and the session add bounded boosts. Where something was missing, such as the embedder, the answer says so.",
    },
    context: {
      title: "A context goes to the model",
      text: "Before the model answers, the agent asks for a context: instructions, who it is, what the speaker prefers, the bulletin, memories that bear on the message, and the window, within a budget of tokens.",
    },
    bulletins: {
      title: "Bulletins and pages sum it up",
      text: "The bulletin is the agent's own summary of what it knows now. A page answers a standing question; each of its sentences quotes the memories it rests on.",
    },
    memories: {
      title: "What nobody asks for fades",
      text: "Events and observations lose half of their importance in each period in which nobody recalls them, until they no longer surface. Nothing is lost by that: a search can look at faded ones too. What is deleted can be restored for a while; what a person asks to be forgotten is purged for good.",
    },
  },
  typesTitle: "Types of memories",
  types: {
    fact: "Something that is so. Never fades.",
    preference: "What somebody likes or wants; shown whenever that person talks.",
    decision: "What was settled. Never fades.",
    identity: "Who the agent or a person is; part of every context.",
    event: "Something that happened; fades.",
    observation: "Something noticed; fades.",
    goal: "What is to be reached; shown with planning.",
    todo: "Something to be done; lives until it is marked as done.",
    insight: "What a dream concluded from several memories; falls when one of them does.",
  },
  scopesTitle: "Who may read a memory",
  scopes: {
    agent: "The agent alone",
    team: "All agents of a team",
    task: "Agents that work on a task",
    session: "The agent, within one conversation",
    prime: "The agent, and prime agents of the workspace",
  },
} as const;
