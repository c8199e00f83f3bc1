import type { CookieSerializeOptions } from "@fastify/cookie";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ConsoleOrigin } from "./origin.ts";

/** The secrets that a browser stores: its session, its forms before sign-in, and what sign-in recognises it by. */
export type CookieName = "session" | "form" | "browser";

// The other two cookies end with the browser's session. The core decides how long it recognises a browser.
const BROWSER_SECONDS = 180 * 24 * 60 * 60;

const TOKEN = /^[\w-]{20,100}$/;

/** Reads and sets the console's cookies. They are `__Host-`, so that no other host or path can set or narrow them. */
export class Cookies {
  readonly #isSecure: boolean;

  constructor({ isSecure }: ConsoleOrigin) {
    this.#isSecure = isSecure;
  }

  read({ cookies }: FastifyRequest, name: CookieName): string | undefined {
    const value = cookies[this.#name(name)];
    return value !== undefined && TOKEN.test(value) ? value : undefined;
  }

  /** Returns whether the browser sent the cookie, with any content. */
  isSent({ cookies }: FastifyRequest, name: CookieName): boolean {
    return cookies[this.#name(name)] !== undefined;
  }

  set(reply: FastifyReply, name: CookieName, value: string): void {
    const life = name === "browser" ? { maxAge: BROWSER_SECONDS } : {};
    void reply.setCookie(this.#name(name), value, { ...this.#options(), ...life });
  }

  clear(reply: FastifyReply, name: CookieName): void {
    void reply.clearCookie(this.#name(name), this.#options());
  }

  #name(name: CookieName): string {
    return `${this.#isSecure ? "__Host-" : ""}paylink_${name}`;
  }

  // Lax: a link in an email opens the console, and no GET changes anything.
  #options(): CookieSerializeOptions {
    return { path: "/", httpOnly: true, secure: this.#isSecure, sameSite: "lax" };
  }
}
