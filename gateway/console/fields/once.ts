import type { CallOptions } from "@connectrpc/connect";
import type { FastifyReply } from "fastify";
import { randomUUID } from "node:crypto";
import { html } from "hono/html";
import type { Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { codeOf } from "../problems.ts";
import type { Visit } from "../visit.ts";

const FIELD = "form_id";
const DONE_STATUS = 409;
const FORM_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The hidden field by which a form that is sent twice does what it does once. */
export function onceField(): Html {
  return html`<input type="hidden" name="${FIELD}" value="${randomUUID()}" />`;
}

/** What the core knows a wish again by; undefined when the form that was sent has none of ours. */
function onceOf(visit: Visit): string | undefined {
  const given = visit.text(FIELD);
  return FORM_ID.test(given) ? given : undefined;
}

/** Does what shows a secret; sent a second time, the form gets a page that leads to the list, and no secret. */
export async function showOnce(
  visit: Visit,
  list: string,
  act: (once: { readonly once?: string }) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const id = onceOf(visit);
  try {
    return await act(id === undefined ? {} : { once: id });
  } catch (error) {
    if (codeOf(error) !== "done_already") throw error;
    return await visit.show(donePage(visit, list), DONE_STATUS);
  }
}

function donePage(visit: Visit, list: string): Html {
  return consolePage(visit, {
    title: visit.say("done_already_title"),
    section: list,
    content: html`<section class="card">
      <p>${visit.say("done_already_text")}</p>
      <p><a class="button primary" href="${visit.path(list)}">${visit.say("to_list")}</a></p>
    </section>`,
  });
}

/** Call options with the idempotency key of the form that was sent. */
export function once(visit: Visit): CallOptions {
  const headers = new Headers(visit.as.headers);
  headers.set("idempotency-key", `console-${onceOf(visit) ?? randomUUID()}`);
  return { ...visit.as, headers };
}
