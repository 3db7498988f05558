import { Link, type LinkProps } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { isValidElement, type ReactNode, useEffect } from "react";
import { common } from "@/strings/common";
import { buttonClass } from "./Button";
import css from "./Page.module.css";

/** A page: its heading with what can be done on it, and its content. `fill`: its parts scroll, not the page. */
export function Page({
  title,
  explanation,
  actions,
  fill = false,
  children,
}: {
  title: string;
  explanation?: ReactNode;
  actions?: ReactNode;
  fill?: boolean;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · ${common.title}`;
  }, [title]);
  return (
    <div className={css.scroll} data-scroll-restoration-id={`page ${title}`}>
      <div className={fill ? css.fill : css.page}>
        <header className={css.head}>
          <div className="grow">
            <h1>{title}</h1>
            {explanation && <p className="soft">{explanation}</p>}
          </div>
          {actions && <div className="row">{actions}</div>}
        </header>
        {children}
      </div>
    </div>
  );
}

/**
 * A list beside what of it is open. On a phone one of the two is shown: what is open, with a way back, or else the list.
 * `back`: the address without what is open.
 */
export function MasterDetail({
  list,
  detail,
  back,
  empty,
  wideList = false,
}: {
  list: ReactNode;
  /** Whether the list takes most of the room: it is a drawing. */
  wideList?: boolean;
  /** Its key is that of what is open: each begins at its top, and Back returns to where it was. */
  detail: ReactNode | undefined;
  back: LinkProps;
  empty: ReactNode;
}) {
  const isOpen = detail !== undefined;
  const open = (isValidElement(detail) && detail.key) || "";
  return (
    <div className={`${css.split} ${isOpen ? css.open : ""} ${wideList ? css.wideList : ""}`}>
      <div className={css.list}>{list}</div>
      <div key={open} className={css.detail} data-scroll-restoration-id={`detail ${encodeURIComponent(open)}`}>
        {isOpen && (
          <Link {...back} className={`${buttonClass("quiet", true)} ${css.back}`}>
            <ArrowLeft aria-hidden="true" />
            {common.back}
          </Link>
        )}
        {detail ?? empty}
      </div>
    </div>
  );
}
