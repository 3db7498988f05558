import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { Bot, Brain, Keyboard, LogOut, Moon, Palette as PaletteIcon, Users } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { attempt } from "@/components/Toast";
import { relativeTime } from "@/components/text";
import { useSettled } from "@/components/useSettled";
import { useAgent, useAgentsNamed, useChooseAgent } from "@/data/agents";
import { api, calls } from "@/data/client";
import { refresh, useCall, useList } from "@/data/queries";
import { signOut, useRights } from "@/data/session";
import { common } from "@/strings/common";
import { palette as texts } from "@/strings/palette";
import { PAGES } from "../pages";
import { chooseTheme, THEMES } from "../theme";
import { overlay } from "./open";
import css from "./palette.module.css";

const FOUND_MAX = 6;
const AGENTS_MAX = 8;

const holds = (text: string, wanted: string) => text.toLowerCase().includes(wanted.trim().toLowerCase());

/** Everything there is to go to and to do, by typing some of its name. */
export default function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const settled = useSettled(typed.trim());

  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    dialog.current?.querySelector("input")?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);

  return (
    <dialog
      ref={dialog}
      aria-label={texts.title}
      className={css.palette}
      onClose={() => overlay.set(undefined)}
      onPointerDown={(event) => event.target === dialog.current && dialog.current.close()}
    >
      <Command label={texts.title} shouldFilter={false} loop>
        <Command.Input autoFocus value={typed} onValueChange={setTyped} placeholder={texts.placeholder} />
        <Command.List label={texts.title}>
          <Command.Empty>{settled === typed.trim() ? texts.none : texts.searching}</Command.Empty>
          <Pages typed={typed} />
          {settled && <Found wanted={settled} />}
          <Agents typed={typed} />
          <Actions typed={typed} />
        </Command.List>
      </Command>
    </dialog>
  );
}

function Item({
  value,
  icon,
  onSelect,
  children,
}: {
  value: string;
  icon: ReactNode;
  onSelect: () => void;
  children: ReactNode;
}) {
  return (
    <Command.Item
      value={value}
      onSelect={() => {
        overlay.set(undefined);
        onSelect();
      }}
    >
      {icon}
      <span>{children}</span>
    </Command.Item>
  );
}

function Pages({ typed }: { typed: string }) {
  const agent = useAgent();
  const navigate = useNavigate();
  const pages = PAGES.filter(({ title }) => holds(title, typed));
  if (pages.length === 0) return null;
  return (
    <Command.Group heading={texts.groups.pages}>
      {pages.map(({ path, title, icon: Icon, key }) => (
        <Item
          key={path}
          value={`page ${path}`}
          icon={<Icon />}
          onSelect={() => navigate({ to: path, search: { agent } })}
        >
          {title} <kbd>g</kbd> <kbd>{key}</kbd>
        </Item>
      ))}
    </Command.Group>
  );
}

function Agents({ typed }: { typed: string }) {
  const choose = useChooseAgent();
  const names = useAgentsNamed(typed).names.slice(0, AGENTS_MAX);
  if (names.length === 0) return null;
  return (
    <Command.Group heading={texts.groups.agents}>
      {names.map((name) => (
        <Item key={name} value={`agent ${name}`} icon={<Bot />} onSelect={() => choose(name)}>
          {name}
        </Item>
      ))}
    </Command.Group>
  );
}

/** Memories, entities and dreams that what is typed finds. */
function Found({ wanted }: { wanted: string }) {
  const agent = useAgent();
  const navigate = useNavigate();
  const memories = useCall(calls.previewSearch(wanted, { agent, limit: FOUND_MAX }), { enabled: agent !== undefined });
  const listed = useList(calls.listMemories({ q: wanted, limit: FOUND_MAX }), { enabled: agent === undefined });
  const entities = useList(calls.listEntities({ agent, q: wanted, limit: FOUND_MAX }));
  const dreams = useList(calls.listDreams({ agent, limit: FOUND_MAX }));
  const found = agent
    ? (memories.data?.results ?? []).flatMap(({ memory }) => (memory ? [memory] : []))
    : listed.items.slice(0, FOUND_MAX);
  const isDream = holds("dream", wanted);
  return (
    <>
      {found.length > 0 && (
        <Command.Group heading={texts.groups.memories}>
          {found.map(({ id, content }) => (
            <Item
              key={id}
              value={`memory ${id}`}
              icon={<Brain />}
              onSelect={() => navigate({ to: "/memories", search: { agent, memory: id } })}
            >
              {content}
            </Item>
          ))}
        </Command.Group>
      )}
      {entities.items.length > 0 && (
        <Command.Group heading={texts.groups.people}>
          {entities.items.slice(0, FOUND_MAX).map(({ id, name }) => (
            <Item
              key={id}
              value={`entity ${id}`}
              icon={<Users />}
              onSelect={() => navigate({ to: "/people", search: { agent, person: id } as never })}
            >
              {name}
            </Item>
          ))}
        </Command.Group>
      )}
      {isDream && dreams.items.length > 0 && (
        <Command.Group heading={texts.groups.dreams}>
          {dreams.items.slice(0, FOUND_MAX).map((dream) => (
            <Item
              key={dream.id}
              value={`dream ${dream.id}`}
              icon={<Moon />}
              onSelect={() => navigate({ to: "/dreams", search: { agent, dream: dream.id } as never })}
            >
              {dream.agent} · {relativeTime(dream.created_at)}
            </Item>
          ))}
        </Command.Group>
      )}
    </>
  );
}

function Actions({ typed }: { typed: string }) {
  const agent = useAgent();
  const choose = useChooseAgent();
  const { canWrite, ownAgent } = useRights();
  const actions: { name: string; icon: ReactNode; act: () => unknown }[] = [
    ...THEMES.map((theme) => ({
      name: texts.actions.theme(common.themes[theme]),
      icon: <PaletteIcon />,
      act: () => chooseTheme(theme),
    })),
    { name: texts.actions.keys, icon: <Keyboard />, act: () => overlay.set("keys") },
    { name: texts.actions.signOut, icon: <LogOut />, act: signOut },
  ];
  if (agent && !ownAgent)
    actions.unshift({ name: texts.actions.allAgents, icon: <Bot />, act: () => choose(undefined) });
  if (agent && canWrite) {
    actions.unshift({
      name: texts.actions.dream(agent),
      icon: <Moon />,
      act: async () => {
        await attempt(() => api.requestDream(agent), texts.actions.dreamStarted(agent));
        await refresh("/v1/dreams");
      },
    });
  }
  const matching = actions.filter(({ name }) => holds(name, typed));
  if (matching.length === 0) return null;
  return (
    <Command.Group heading={texts.groups.actions}>
      {matching.map(({ name, icon, act }) => (
        <Item key={name} value={`action ${name}`} icon={icon} onSelect={act}>
          {name}
        </Item>
      ))}
    </Command.Group>
  );
}
