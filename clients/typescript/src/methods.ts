/** Makes methods of functions that build calls: one declaration serves every way a call is sent. */

import type { Call, Listing } from "./call.js";
import { type ClientOptions, type RequestOptions, Sender } from "./transport.js";

// biome-ignore lint/suspicious/noExplicitAny: the parameters of any function
type Build = (...args: any[]) => Call<any>;

type Method<B extends Build> =
  ReturnType<B> extends Listing<infer Item>
    ? (...args: [...Parameters<B>, options?: RequestOptions]) => AsyncGenerator<Item, void, undefined>
    : ReturnType<B> extends Call<infer Answer>
      ? (...args: [...Parameters<B>, options?: RequestOptions]) => Promise<Answer>
      : never;

export type Methods<Builds> = { [Name in keyof Builds]: Builds[Name] extends Build ? Method<Builds[Name]> : never };

/**
 * A class of senders with a method for each function. A method has the parameters of its function, and after them
 * `RequestOptions`: no parameter may have a default, which JavaScript does not count. For a list it gives an async iterator, which fetches the next page when it is needed.
 */
export function withMethods<Builds extends Record<string, Build>>(
  builds: Builds,
): new (
  options?: ClientOptions,
) => Sender & Methods<Builds> {
  class WithMethods extends Sender {}
  for (const [name, build] of Object.entries(builds)) {
    Object.defineProperty(WithMethods.prototype, name, {
      value: function (this: Sender, ...args: unknown[]) {
        const call = build(...args.slice(0, build.length));
        const options = args[build.length] as RequestOptions | undefined;
        return "isList" in call ? this.items(call as Listing<unknown>, options) : this.send(call, options);
      },
    });
  }
  return WithMethods as new (
    options?: ClientOptions,
  ) => WithMethods & Methods<Builds>;
}
