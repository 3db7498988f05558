import { Dialog } from "@/components/Dialog";
import { palette } from "@/strings/palette";
import { PAGES } from "../pages";
import { overlay } from "./open";
import css from "./palette.module.css";

const texts = palette.keys;
const ANYWHERE: [string[], string][] = [
  [["Ctrl", "K"], texts.rows.palette],
  [["?"], texts.rows.help],
  [["/"], texts.rows.search],
  [["e"], texts.rows.edit],
  [["Esc"], texts.rows.escape],
];
const LISTS: [string[], string][] = [
  [["j"], texts.rows.down],
  [["k"], texts.rows.up],
  [["Enter"], texts.rows.open],
  [["Home", "End"], texts.rows.ends],
];

function Keys({ title, rows }: { title: string; rows: [string[], string][] }) {
  return (
    <section className="stack">
      <h3>{title}</h3>
      <dl className={css.keys}>
        {rows.map(([keys, meaning]) => (
          <div key={meaning}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Every key that means something everywhere. */
export default function KeysHelp() {
  return (
    <Dialog title={texts.title} onClose={() => overlay.set(undefined)}>
      <div className={css.columns}>
        <div className="stack">
          <Keys title={texts.anywhere} rows={ANYWHERE} />
          <Keys title={texts.lists} rows={LISTS} />
        </div>
        <Keys title={texts.pages} rows={PAGES.map(({ key, title }) => [["g", key], title])} />
      </div>
    </Dialog>
  );
}
