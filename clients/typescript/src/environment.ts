/** Where the service is and with what key, as the environment says it, where there is one. */

export const DEFAULT_URL = "http://127.0.0.1:8000";

/** A variable of the environment; undefined where it is unset or empty, or where there is no environment (browsers). */
export function setting(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name]?.trim() || undefined;
}

/**
 * The address given, else REVERIE_URL, else that of this machine, without a slash at its end.
 *
 * Throws TypeError, without showing it, for one that is not of a service: that of a database may hold a password.
 */
export function serviceUrl(url?: string): string {
  const given = url ?? setting("REVERIE_URL") ?? DEFAULT_URL;
  if (!/^https?:\/\//i.test(given)) {
    const name = url === undefined ? "REVERIE_URL" : "url";
    throw new TypeError(
      `${name} is to be the address of the Reverie service, such as ${DEFAULT_URL}: it alone speaks to the database.`,
    );
  }
  return given.replace(/\/$/, "");
}
