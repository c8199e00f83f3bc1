import type { html } from "hono/html";

/** A piece of a page. Values in it are escaped. */
export type Html = ReturnType<typeof html>;
