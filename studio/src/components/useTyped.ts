import { useEffect, useRef, useState } from "react";

const PAUSE_MS = 200;

/** What is typed into a field, and, after a pause, given on, for instance into the address. */
export function useTyped(value: string, give: (value: string) => void): [string, (typed: string) => void] {
  const [typed, setTyped] = useState(value);
  const given = useRef(value);
  const giveNow = useRef(give);
  giveNow.current = give;

  useEffect(() => {
    // The address changed by other means: Back, a link, a cleared filter.
    if (value !== given.current) {
      given.current = value;
      setTyped(value);
    }
  }, [value]);
  useEffect(() => {
    if (typed === given.current) return;
    const timer = setTimeout(() => {
      given.current = typed;
      giveNow.current(typed);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return [typed, setTyped];
}
