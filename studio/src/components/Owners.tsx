import { common } from "@/strings/common";
import { Chip } from "./Chip";

const SHOWN_MAX = 2;
const list = new Intl.ListFormat("en");

/** To whom something belongs; nothing where that is nobody. */
export function Owners({ of }: { of: readonly string[] }) {
  if (of.length === 0) return null;
  const more = of.length - SHOWN_MAX;
  const shown = more > 1 ? [...of.slice(0, SHOWN_MAX), common.owners.more(more)] : of;
  return <Chip title={list.format(of)}>{common.owners.belongsTo(list.format(shown))}</Chip>;
}

/** For whom an answer is. */
export function Viewer({ of }: { of: readonly string[] | "nobody" | "everybody" }) {
  const { viewer } = common;
  if (typeof of === "string") return <Chip title={viewer.sees[of]}>{viewer.of(of)}</Chip>;
  return <Chip title={viewer.sees.users}>{viewer.of(list.format(of))}</Chip>;
}
