import { Bot, Check, ChevronsUpDown } from "lucide-react";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import controls from "@/components/controls.module.css";
import { placeAt } from "@/components/Menu";
import surfaces from "@/components/surfaces.module.css";
import { useAgent, useAgentsNamed, useChooseAgent } from "@/data/agents";
import { refresh } from "@/data/queries";
import { useSession } from "@/data/session";
import { common } from "@/strings/common";
import css from "./Shell.module.css";

const SHOWN_MAX = 60;

/** Whose memories are looked at: a choice of all agents, with a search; it stands in the address. */
export function AgentPicker() {
  const { current } = useSession();
  const agent = useAgent();
  const choose = useChooseAgent();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const popover = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);

  const { names, hasMore } = useAgentsNamed(typed);
  const options: (string | undefined)[] = [...(typed.trim() ? [] : [undefined]), ...names.slice(0, SHOWN_MAX)];
  const isPart = hasMore || names.length > SHOWN_MAX;

  function take(option: string | undefined) {
    popover.current?.hidePopover();
    void choose(option);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "ArrowDown") setAt(Math.min(at + 1, options.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
    else if (event.key === "Enter" && at < options.length) take(options[at]);
    else return;
    event.preventDefault();
  }

  if (current?.agent) {
    return (
      <div className={css.agent}>
        <Bot aria-hidden="true" />
        <span>{current.agent}</span>
      </div>
    );
  }
  return (
    <>
      <button
        type="button"
        ref={button}
        popoverTarget={id}
        className={css.agent}
        aria-label={`${common.agent}: ${agent ?? common.allAgents}`}
        aria-haspopup="listbox"
      >
        <Bot aria-hidden="true" />
        <span>{agent ?? common.allAgents}</span>
        <ChevronsUpDown aria-hidden="true" />
      </button>
      <div
        ref={popover}
        id={id}
        popover="auto"
        className={surfaces.menu}
        onToggle={(event) => {
          if (event.newState === "closed") {
            setTyped("");
            setAt(0);
          }
          if (event.newState !== "open" || !button.current || !popover.current) return;
          void refresh("/v1/agents");
          placeAt(button.current, popover.current);
          popover.current.querySelector("input")?.focus();
        }}
      >
        <input
          className={controls.input}
          role="combobox"
          aria-label={common.findAgent}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={options.length ? `${id}-${at}` : undefined}
          placeholder={common.findAgent}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <div role="listbox" id={`${id}-list`} aria-label={common.agent} className={css.options}>
          {options.map((option, index) => (
            <div
              key={option ?? ""}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              className={`${surfaces.item} ${index === at ? css.active : ""}`}
              onClick={() => take(option)}
              onKeyDown={onKeyDown}
              onPointerMove={() => setAt(index)}
            >
              <span className="grow">{option ?? common.allAgents}</span>
              {option === agent && <Check aria-hidden="true" />}
            </div>
          ))}
        </div>
        {options.length === 0 && <p className="small faint">{common.noAgent}</p>}
        {isPart && <p className={`small faint ${css.moreAgents}`}>{common.moreAgents}</p>}
      </div>
    </>
  );
}
