/** Texts of the command palette and of the list of keys. */

export const palette = {
  title: "Commands",
  placeholder: "Go to a page, an agent, a memory…",
  none: "No matches",
  searching: "Searching…",
  groups: {
    pages: "Pages",
    agents: "Agents",
    memories: "Memories",
    people: "People and entities",
    dreams: "Dreams",
    actions: "Actions",
  },
  actions: {
    dream: (agent: string) => `Start a dream of ${agent}`,
    dreamStarted: (agent: string) => `A dream of ${agent} is queued`,
    allAgents: "Show all agents",
    theme: (theme: string) => `Theme: ${theme}`,
    keys: "Keyboard shortcuts",
    signOut: "Sign out",
  },
  keys: {
    title: "Keyboard shortcuts",
    anywhere: "Anywhere",
    lists: "In lists",
    pages: "Go to a page",
    rows: {
      palette: "Commands",
      help: "These shortcuts",
      search: "Search on the page",
      edit: "Edit what is open",
      escape: "Close what is open",
      down: "Next row",
      up: "Previous row",
      open: "Open the row",
      ends: "First or last row",
    },
  },
} as const;
