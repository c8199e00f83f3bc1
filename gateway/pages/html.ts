import { html } from "hono/html";

/** Writes a piece of a page. Values in it are escaped. */
export { html };

/** A piece of a page. */
export type Html = ReturnType<typeof html>;
