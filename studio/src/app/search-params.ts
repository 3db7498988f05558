/**
 * What stands after the `?` of an address. Addresses are read and sent by people, so values are plain text; a page
 * reads them with the readers here, and what is not valid is as if it were not there.
 */

export type Given = Record<string, unknown>;

/** The parameters of an address: a text each, or texts where one is repeated. */
export function parseSearch(address: string): Given {
  const given: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(address)) {
    const former = given[name];
    given[name] = former === undefined ? value : [former, value].flat();
  }
  return given;
}

/** The address of parameters, without those that are undefined, null, false or empty. */
export function stringifySearch(search: Given): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== false && one !== "") {
        parameters.append(name, one === true ? "yes" : `${one}`);
      }
    }
  }
  const text = parameters.toString();
  return text && `?${text}`;
}

/** A text; undefined where there is none. */
export function text(given: unknown): string | undefined {
  const one = Array.isArray(given) ? given[0] : given;
  return one === undefined || one === null || one === "" ? undefined : `${one}`;
}

/** Texts; undefined where there is none. */
export function texts(given: unknown): string[] | undefined {
  const all = (Array.isArray(given) ? given : [given]).map(text).filter((one) => one !== undefined);
  return all.length ? all : undefined;
}

/** One of some texts. */
export function oneOf<const T extends string>(given: unknown, options: readonly T[]): T | undefined {
  return options.find((option) => option === text(given));
}

/** Several of some texts. */
export function someOf<const T extends string>(given: unknown, options: readonly T[]): T[] | undefined {
  const chosen = texts(given)?.filter((one): one is T => options.includes(one as T));
  return chosen?.length ? chosen : undefined;
}

/** true, or undefined. */
export function flag(given: unknown): true | undefined {
  return given === true || text(given) === "yes" ? true : undefined;
}

/** A number within bounds. */
export function number(given: unknown, { min = -Infinity, max = Infinity } = {}): number | undefined {
  const value = Number(text(given) ?? Number.NaN);
  return value >= min && value <= max ? value : undefined;
}

/**
 * How a link changes the parameters of the page that it stands on. The router knows a link by the parameters of all
 * pages, of which several share a name: here they are those of the one page.
 */
// biome-ignore lint/suspicious/noExplicitAny: the parameters of any page
export function changed<Search>(change: (now: Search) => Search): (now: any) => any {
  return change;
}
