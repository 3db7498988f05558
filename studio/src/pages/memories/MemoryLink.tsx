import { Link } from "@tanstack/react-router";
import { changed } from "@/app/search-params";
import { useCall } from "@/data/queries";
import { memories as texts } from "@/strings/memories";
import { memoryCall } from "./MemoryDetail";
import css from "./memories.module.css";
import type { MemoriesSearch } from "./route";

/** A link to another memory, by its content. */
export function MemoryLink({ id }: { id: string }) {
  const { data, error } = useCall(memoryCall(id));
  if (error) return <span className="faint">{texts.sources.gone}</span>;
  return (
    <Link
      to="/memories"
      search={changed((now: MemoriesSearch) => ({ ...now, memory: id, tab: undefined }))}
      className={css.oneLine}
      title={data?.content}
    >
      {data?.content ?? id}
    </Link>
  );
}
