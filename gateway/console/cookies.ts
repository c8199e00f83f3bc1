import type { CookieSerializeOptions } from "@fastify/cookie";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ConsoleOrigin } from "./origin.ts";

/** The two secrets that a browser keeps: of a session, and of the forms before there is one. */
export type CookieName = "session" | "form";

const TOKEN = /^[\w-]{20,100}$/;

/** Reads and sets the console's cookies: `__Host-`, so that no other host and no path can set or narrow them. */
export class Cookies {
  readonly #isSecure: boolean;

  constructor({ isSecure }: ConsoleOrigin) {
    this.#isSecure = isSecure;
  }

  read({ cookies }: FastifyRequest, name: CookieName): string | undefined {
    const value = cookies[this.#name(name)];
    return value !== undefined && TOKEN.test(value) ? value : undefined;
  }

  set(reply: FastifyReply, name: CookieName, value: string): void {
    void reply.setCookie(this.#name(name), value, this.#options());
  }

  clear(reply: FastifyReply, name: CookieName): void {
    void reply.clearCookie(this.#name(name), this.#options());
  }

  #name(name: CookieName): string {
    return `${this.#isSecure ? "__Host-" : ""}paylink_${name}`;
  }

  // Lax: a link from a message opens the console, and no GET changes anything.
  #options(): CookieSerializeOptions {
    return { path: "/", httpOnly: true, secure: this.#isSecure, sameSite: "lax" };
  }
}
