import { getRouteApi } from "@tanstack/react-router";
import { diffLines } from "diff";
import { Diff } from "@/components/Diff";
import { Select } from "@/components/Field";
import { Skeleton } from "@/components/States";
import { bulletins as texts } from "@/strings/bulletins";
import css from "./bulletins.module.css";
import { VIEWS } from "./route";

const route = getRouteApi("/bulletins");
const VIEW_NAMES = { "": texts.view.read, words: texts.view.words, side: texts.view.side };

/** How a version is shown, and, where it is compared, the comparison. `names`: of the older and of this one. */
export function Compared({
  others,
  against,
  names,
  before,
  after,
}: {
  others: number[];
  against: number | undefined;
  names: [string, string];
  before: string | undefined;
  after: string;
}) {
  const { view } = route.useSearch();
  const navigate = route.useNavigate();
  const isCompared = view !== undefined;
  return (
    <>
      <div className={css.compare}>
        <Select
          label={texts.view.label}
          options={(["", ...VIEWS] as const).map((value) => ({ value, label: VIEW_NAMES[value] }))}
          value={view ?? ""}
          onChange={(next) => navigate({ search: (now) => ({ ...now, view: next || undefined }) })}
        />
        {isCompared && others.length > 0 && (
          <Select
            label={texts.compared}
            options={[
              ...(against === undefined ? [{ value: "", label: "–" }] : []),
              ...others.map((other) => ({ value: `${other}`, label: texts.version(other) })),
            ]}
            value={`${against ?? ""}`}
            onChange={(next) => navigate({ search: (now) => ({ ...now, compared: Number(next) || undefined }) })}
          />
        )}
      </div>
      {isCompared &&
        (against === undefined ? (
          <p className="soft">{texts.noOther}</p>
        ) : before === undefined ? (
          <Skeleton />
        ) : view === "words" ? (
          <Diff before={before} after={after} />
        ) : (
          <SideBySide names={names} before={before} after={after} />
        ))}
    </>
  );
}

function SideBySide({ names, before, after }: { names: [string, string]; before: string; after: string }) {
  const parts = diffLines(before, after);
  return (
    <div className={css.sides}>
      <section aria-label={names[0]}>
        <h3>{names[0]}</h3>
        <p className="words">
          {parts
            .filter(({ added }) => !added)
            .map((part, at) => {
              const key = `${at}-${part.value.length}`;
              return part.removed ? <del key={key}>{part.value}</del> : <span key={key}>{part.value}</span>;
            })}
        </p>
      </section>
      <section aria-label={names[1]}>
        <h3>{names[1]}</h3>
        <p className="words">
          {parts
            .filter(({ removed }) => !removed)
            .map((part, at) => {
              const key = `${at}-${part.value.length}`;
              return part.added ? <ins key={key}>{part.value}</ins> : <span key={key}>{part.value}</span>;
            })}
        </p>
      </section>
    </div>
  );
}
