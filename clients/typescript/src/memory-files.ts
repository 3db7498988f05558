/**
 * The files of Anthropic's memory tool as memories with keys: each change is a version, and what is deleted can be
 * restored. Commands answer and fail in the words of the tool's own store of files.
 */

import type { AgentMemory } from "./agent-memory.js";
import { digest } from "./digest.js";
import { Conflict } from "./errors.js";
import type { MemoryRecord } from "./types.js";

const ROOT = "/memories";
const OWN = "memory_tool";
/** Characters of a file that are searched; the whole of it is in the memory's metadata. */
const CONTENT_MAX = 8_000;
const LINES_MAX = 999_999;
const NUMBER_WIDTH = 6;
const DEPTH_MAX = 2;
const PAGE = 200;
const KIB = 1024;

/** A command that cannot be carried out, in words for the model. */
export class FileProblem extends Error {}

type Files = Map<string, MemoryRecord>;

/** The files of an agent's memory, of its user where it has one. Rejects with FileProblem and ReverieClientError. */
export class MemoryFiles {
  constructor(private readonly memory: AgentMemory) {}

  /** The lines of a file, numbered, or what is in a directory. */
  async view(given: string, range?: readonly number[]): Promise<string> {
    const path = checked(given);
    const files = await this.#files();
    const file = await this.#find(path, files);
    if (!file) return listing(given, path, files);
    const lines = textOf(file).split("\n");
    if (lines.length > LINES_MAX)
      throw new FileProblem(`File ${given} has too many lines (${lines.length}). Maximum is 999,999 lines.`);
    const [first = 1, last = -1] = range?.length === 2 ? range : [];
    const start = Math.max(1, first) - 1;
    const shown = numbered(lines.slice(start, last === -1 ? undefined : last), start + 1);
    return `Here's the content of ${given} with line numbers:\n${shown}`;
  }

  /** Make a file. */
  async create(given: string, text: string): Promise<string> {
    const path = checked(given);
    const files = await this.#files();
    if (path === ROOT || (await this.#at(path, files)).length) throw new FileProblem(`File ${given} already exists`);
    checkParents(path, files);
    const fields = { key: await this.#key(path), source: { kind: OWN }, decay_exempt: true, ...this.memory.whose() };
    const { content, metadata } = written(path, text);
    await this.memory.reverie.saveMemory("fact", content, { metadata, ...fields });
    return `File created successfully at: ${given}`;
  }

  /** Replace a text that is in a file once. */
  async replace(given: string, old: string, by: string): Promise<string> {
    const { path, file } = await this.#file(given);
    const text = textOf(file);
    const [before = "", ...after] = old ? text.split(old) : [text];
    if (!after.length) {
      throw new FileProblem(`No replacement was performed, old_str \`${old}\` did not appear verbatim in ${given}.`);
    }
    if (after.length > 1) {
      const numbers = after.map((_, index) => linesIn([before, ...after].slice(0, index + 1).join(old)));
      throw new FileProblem(
        `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${numbers.join(", ")}. ` +
          "Please ensure it is unique",
      );
    }
    const changed = before + by + after[0];
    await this.#change(file, path, changed);
    const line = linesIn(before) - 1;
    const first = Math.max(0, line - 2);
    const snippet = numbered(changed.split("\n").slice(first, line + 3), first + 1);
    return `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippet}`;
  }

  /** Insert a text behind a line; 0 is the beginning. */
  async insert(given: string, line: number, text: string): Promise<string> {
    const { path, file } = await this.#file(given);
    const lines = textOf(file).split("\n");
    if (!(line >= 0 && line <= lines.length)) {
      throw new FileProblem(
        `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
      );
    }
    lines.splice(line, 0, text.replace(/\n$/, ""));
    await this.#change(file, path, lines.join("\n"));
    return `The file ${given} has been edited.`;
  }

  /** Delete a file, or a directory with all that is in it. */
  async delete(given: string): Promise<string> {
    const path = checked(given);
    if (path === ROOT) throw new FileProblem("Cannot delete the /memories directory itself");
    const there = await this.#at(path, await this.#files());
    if (!there.length) throw new FileProblem(`The path ${given} does not exist`);
    for (const file of there) await this.memory.reverie.deleteMemory(file.id, this.memory.forUser);
    return `Successfully deleted ${given}`;
  }

  /** Rename or move a file, or a directory with all that is in it. */
  async rename(given: string, to: string): Promise<string> {
    const path = checked(given);
    const target = checked(to);
    const files = await this.#files();
    if (path === ROOT) throw new FileProblem("Cannot rename the /memories directory itself");
    const moved = await this.#at(path, files);
    if (!moved.length) throw new FileProblem(`The path ${given} does not exist`);
    if (target === ROOT || (await this.#at(target, files)).length) {
      throw new FileProblem(`The destination ${to} already exists`);
    }
    if (target.startsWith(`${path}/`)) throw new FileProblem(`Cannot move ${given} into itself`);
    checkParents(target, files);
    for (const file of moved) {
      const inside = pathOf(file).startsWith(`${path}/`) ? pathOf(file).slice(path.length) : "";
      await this.#change(file, target + inside, textOf(file));
    }
    return `Successfully renamed ${given} to ${to}`;
  }

  /** All files by path; what a dream holds for outdated is still a file. */
  async #files(): Promise<Files> {
    const { agent, user } = this.memory.whose();
    const files: Files = new Map();
    const query = { agent, user, about: user, source: OWN, include: "superseded", limit: PAGE };
    for await (const file of this.memory.reverie.listMemories(query, this.memory.forUser)) {
      if (user !== undefined || file.user === null) files.set(pathOf(file), file);
    }
    return files;
  }

  async #file(given: string): Promise<{ path: string; file: MemoryRecord }> {
    const path = checked(given);
    const files = await this.#files();
    const file = await this.#find(path, files);
    if (file) return { path, file };
    if (path === ROOT || inside(path, files).length) throw new FileProblem(`The path ${given} is not a file.`);
    throw new FileProblem(`The path ${given} does not exist. Please provide a valid path.`);
  }

  /** The file of a path; by its key where personal data is masked in the path that is stored. */
  async #find(path: string, files: Files): Promise<MemoryRecord | undefined> {
    const key = await this.#key(path);
    return files.get(path) ?? [...files.values()].find((file) => file.key === key);
  }

  /** The file of a path, or all that are in the directory. */
  async #at(path: string, files: Files): Promise<MemoryRecord[]> {
    const file = await this.#find(path, files);
    return file ? [file] : inside(path, files);
  }

  async #change(file: MemoryRecord, path: string, text: string): Promise<void> {
    try {
      const changes = { key: await this.#key(path), ...written(path, text) };
      await this.memory.reverie.updateMemory(file.id, file.version, changes, this.memory.forUser);
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      throw new FileProblem("The file was changed by somebody else meanwhile. View it again.");
    }
  }

  async #key(path: string): Promise<string> {
    return `${OWN} ${await digest([this.memory.user ?? "", path])}`;
  }
}

/** A path without detours. Throws FileProblem for one outside of the root, encoded or with backslashes too. */
function checked(given: string): string {
  if (given !== ROOT && !given.startsWith(`${ROOT}/`)) {
    throw new FileProblem(`Path must start with ${ROOT}, got: ${given}`);
  }
  const [plain = "", ...others] = [given, decoded(given).replaceAll("\\", "/")].map(normalized);
  const isInside = [plain, ...others].every((path) => path === ROOT || path.startsWith(`${ROOT}/`));
  if (!isInside || /\p{C}/u.test(given)) throw new FileProblem(`Path ${given} would escape ${ROOT} directory`);
  return plain;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function normalized(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** Throws FileProblem where a directory of a path is a file. */
function checkParents(path: string, files: Files): void {
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
    const parent = path.slice(0, at);
    if (files.has(parent)) throw new FileProblem(`The path ${parent} is not a directory.`);
  }
}

/** What a memory says and keeps of a file. */
function written(path: string, text: string) {
  return { content: text.trim() ? text.slice(0, CONTENT_MAX) : path, metadata: { [OWN]: { path, text } } };
}

function keptOf(file: MemoryRecord): { path: string; text: string } {
  return file.metadata[OWN] as { path: string; text: string };
}

function pathOf(file: MemoryRecord): string {
  return keptOf(file).path;
}

function textOf(file: MemoryRecord): string {
  return keptOf(file).text;
}

function inside(path: string, files: Files): MemoryRecord[] {
  return [...files].flatMap(([name, file]) => (name.startsWith(`${path}/`) ? [file] : []));
}

function linesIn(text: string): number {
  return text.split("\n").length;
}

function numbered(lines: string[], first: number): string {
  return lines.map((line, index) => `${`${first + index}`.padStart(NUMBER_WIDTH)}\t${line}`).join("\n");
}

/** A directory with the sizes of all that is in it, two levels deep. */
function listing(given: string, path: string, files: Files): string {
  const sizes = new Map<string, number>();
  for (const file of inside(path, files)) {
    const bytes = new TextEncoder().encode(textOf(file)).length;
    const names = pathOf(file)
      .slice(path.length + 1)
      .split("/");
    if (names.some((name) => name.startsWith(".") || name === "node_modules")) continue;
    for (let depth = 0; depth <= Math.min(DEPTH_MAX, names.length); depth += 1) {
      const place = `${path}/${names.slice(0, depth).join("/")}${depth && depth < names.length ? "/" : ""}`;
      sizes.set(place, (sizes.get(place) ?? 0) + bytes);
    }
  }
  if (path !== ROOT && !inside(path, files).length) {
    throw new FileProblem(`The path ${given} does not exist. Please provide a valid path.`);
  }
  const total = sizes.get(`${path}/`) ?? 0;
  sizes.delete(`${path}/`);
  const lines = [...sizes]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([at, bytes]) => `${sized(bytes)}\t${at}`);
  const header = `Here're the files and directories up to 2 levels deep in ${given}, excluding hidden items and node_modules:`;
  return [header, `${sized(total)}\t${given}`, ...lines].join("\n");
}

function sized(bytes: number): string {
  if (!bytes) return "0B";
  const power = Math.min(3, Math.floor(Math.log(bytes) / Math.log(KIB)));
  const size = bytes / KIB ** power;
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${"BKMG"[power]}`;
}
