import type { CallOptions } from "@connectrpc/connect";
import { randomUUID } from "node:crypto";
import { html } from "hono/html";
import type { Html } from "../../pages/html.ts";
import type { Visit } from "../visit.ts";

const FIELD = "form_id";
const FORM_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The hidden field by which a form that is sent twice does what it does once. */
export function onceField(): Html {
  return html`<input type="hidden" name="${FIELD}" value="${randomUUID()}" />`;
}

/** Call options with the idempotency key of the form that was sent. */
export function once(visit: Visit): CallOptions {
  const given = visit.text(FIELD);
  const headers = new Headers(visit.as.headers);
  headers.set("idempotency-key", `console-${FORM_ID.test(given) ? given : randomUUID()}`);
  return { ...visit.as, headers };
}
