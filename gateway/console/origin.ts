const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** The console's address in browsers. */
export class ConsoleOrigin {
  /** True: cookies are Secure and bound to the host. */
  readonly isSecure: boolean;
  readonly #origins: ReadonlySet<string>;

  /** `allowsHttp`: the operator permits sign-in over http. It has no effect when PUBLIC_URL is https. */
  constructor(publicUrl: string, allowsHttp: boolean) {
    const url = new URL(publicUrl);
    const isLoopback = LOOPBACK.includes(url.hostname);
    this.isSecure = url.protocol === "https:" || !allowsHttp;
    const port = url.port === "" ? "" : `:${url.port}`;
    const names = isLoopback && !this.isSecure ? LOOPBACK : [url.hostname];
    this.#origins = new Set(names.map((name) => `${url.protocol}//${name}${port}`));
  }

  /** Returns whether a change comes from one of our own pages. Browsers send Origin with every form. */
  isOwn(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
    const { origin, "sec-fetch-site": site = "same-origin" } = headers;
    return typeof origin === "string" && this.#origins.has(origin) && site === "same-origin";
  }
}
