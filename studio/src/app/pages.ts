/** The pages in the order of the rail. `key` follows g: `g m` opens Memories. */

import {
  BookOpenText,
  Brain,
  CircleHelp,
  FileText,
  Gauge,
  Inbox,
  LayoutDashboard,
  type LucideIcon,
  MessagesSquare,
  Moon,
  Network,
  ScrollText,
  Search,
  Trash2,
  Users,
} from "lucide-react";
import { common } from "@/strings/common";

export interface PageEntry {
  path: string;
  title: string;
  icon: LucideIcon;
  key: string;
}

const { pages } = common;

export const PAGES: readonly PageEntry[] = [
  { path: "/", title: pages.overview, icon: LayoutDashboard, key: "o" },
  { path: "/memories", title: pages.memories, icon: Brain, key: "m" },
  { path: "/search", title: pages.search, icon: Search, key: "s" },
  { path: "/context", title: pages.context, icon: ScrollText, key: "c" },
  { path: "/dreams", title: pages.dreams, icon: Moon, key: "d" },
  { path: "/inbox", title: pages.inbox, icon: Inbox, key: "i" },
  { path: "/people", title: pages.people, icon: Users, key: "p" },
  { path: "/graph", title: pages.graph, icon: Network, key: "r" },
  { path: "/sessions", title: pages.sessions, icon: MessagesSquare, key: "n" },
  { path: "/bulletins", title: pages.bulletins, icon: BookOpenText, key: "b" },
  { path: "/documents", title: pages.documents, icon: FileText, key: "f" },
  { path: "/deletions", title: pages.deletions, icon: Trash2, key: "x" },
  { path: "/engine", title: pages.engine, icon: Gauge, key: "e" },
  { path: "/how-it-works", title: pages.howItWorks, icon: CircleHelp, key: "h" },
];
