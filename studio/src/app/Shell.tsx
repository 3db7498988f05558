import { Link, Outlet, useSearch } from "@tanstack/react-router";
import { Contrast, Menu as MenuIcon, Monitor, Moon, Search, Sun } from "lucide-react";
import { Suspense, useEffect, useState } from "react";
import { Button } from "@/components/Button";
import { Menu, MenuItem } from "@/components/Menu";
import { ErrorState, Skeleton } from "@/components/States";
import { Toasts } from "@/components/Toast";
import { useReachable, useReadiness } from "@/data/connection";
import { keepUpToDate } from "@/data/live";
import { loadSession, useSession } from "@/data/session";
import { useStore } from "@/data/store";
import { common } from "@/strings/common";
import { AccountMenu } from "./AccountMenu";
import { AgentPicker } from "./AgentPicker";
import { PAGES } from "./pages";
import { Overlays } from "./palette/Overlays";
import { overlay } from "./palette/open";
import css from "./Shell.module.css";
import { SignIn } from "./SignIn";
import { chooseTheme, THEMES, theme } from "./theme";

const HEALTH_MS = 10_000;
const THEME_ICONS = { auto: <Monitor />, light: <Sun />, dark: <Moon />, contrast: <Contrast /> };

/** What every page stands in; for somebody who has not signed in, the way to do so. */
export function Shell() {
  const { status, current } = useSession();
  const [isAdding, setIsAdding] = useState(false);

  useEffect(() => void loadSession(), []);

  if (status === "loading") return <Skeleton />;
  if (status === "failed") return <ErrorState error={common.errors.unreachable} onRetry={() => loadSession()} />;
  if (!current || isAdding) return <SignIn onDone={current ? () => setIsAdding(false) : undefined} />;
  return <Frame key={current.id} onAddKey={() => setIsAdding(true)} />;
}

function Frame({ onAddKey }: { onAddKey: () => void }) {
  const { current } = useSession();
  const isReachable = useReachable();
  const checks = useReadiness(HEALTH_MS)?.checks;
  const [isOpen, setIsOpen] = useState(false);

  useEffect(keepUpToDate, []);

  return (
    <div className={css.shell}>
      <a href="#content" className={css.skip}>
        {common.skip}
      </a>
      <header className={`${css.rail} ${isOpen ? css.railOpen : ""}`}>
        <div className={css.brandRow}>
          <span className={css.brand}>Reverie</span>
          <ThemeMenu />
          <AccountMenu onAddKey={onAddKey} />
          <span className={css.toggle}>
            <Button
              kind="quiet"
              icon={<MenuIcon />}
              aria-label={common.menu}
              aria-expanded={isOpen}
              onClick={() => setIsOpen(!isOpen)}
            />
          </span>
        </div>
        <AgentPicker />
        <button type="button" className={css.find} onClick={() => overlay.set("palette")}>
          <Search aria-hidden="true" />
          <span>{common.find}</span>
          <kbd>Ctrl K</kbd>
        </button>
        <Places onGo={() => setIsOpen(false)} />
        <p className={`small faint ${css.who}`}>
          {current?.workspace} · {current?.agent ?? current?.role}
        </p>
      </header>
      <main id="content" tabIndex={-1} className={css.content}>
        {!isReachable && (
          <p role="status" className={css.offline}>
            {common.offline}
          </p>
        )}
        {isReachable && checks?.embedder === "failing" && (
          <p role="status" className={css.offline}>
            {common.embedderFails} <Link to="/engine">{common.embedderLink}</Link>
          </p>
        )}
        <div className={css.scroll}>
          <Suspense fallback={<Skeleton />}>
            <Outlet />
          </Suspense>
        </div>
      </main>
      <Toasts />
      <Overlays />
    </div>
  );
}

function Places({ onGo }: { onGo: () => void }) {
  const { agent } = useSearch({ strict: false });
  return (
    <nav aria-label={common.navigation} className={css.places}>
      {PAGES.map(({ path, title, icon: Icon }) => (
        <Link
          key={path}
          to={path}
          search={{ agent }}
          className={css.place}
          activeOptions={{ exact: path === "/", includeSearch: false }}
          activeProps={{ "aria-current": "page" }}
          onClick={onGo}
        >
          <Icon aria-hidden="true" />
          {title}
        </Link>
      ))}
    </nav>
  );
}

function ThemeMenu() {
  const chosen = useStore(theme);
  return (
    <Menu label={`${common.theme}: ${common.themes[chosen]}`} icon={THEME_ICONS[chosen]}>
      {THEMES.map((one) => (
        <MenuItem key={one} icon={THEME_ICONS[one]} onSelect={() => chooseTheme(one)}>
          {common.themes[one]}
        </MenuItem>
      ))}
    </Menu>
  );
}
