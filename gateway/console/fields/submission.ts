import type { CallOptions } from "@connectrpc/connect";
import type { FastifyReply } from "fastify";
import { randomUUID } from "node:crypto";
import { HEADERS } from "../../../contract/headers.ts";
import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { codeOf } from "../problems.ts";
import type { Visit } from "../visit.ts";

const FIELD = "form_id";
const DONE_STATUS = 409;
const FORM_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Returns a hidden field with an id for the submission, so that a form that is sent twice acts once. */
export function submissionField(): Html {
  return html`<input type="hidden" name="${FIELD}" value="${randomUUID()}" />`;
}

/** Returns the submission's id, or undefined if the form has none of ours. */
function submissionIdOf(visit: Visit): string | undefined {
  const given = visit.text(FIELD);
  return FORM_ID.test(given) ? given : undefined;
}

/** Runs a change that shows a secret. A form that is submitted twice gets a page with a link to the list instead. */
export async function showOnce(
  visit: Visit,
  list: string,
  act: (submission: { readonly submissionId?: string }) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const id = submissionIdOf(visit);
  try {
    return await act(id === undefined ? {} : { submissionId: id });
  } catch (error) {
    if (codeOf(error) !== "done_already") throw error;
    return await visit.show(donePage(visit, list), DONE_STATUS);
  }
}

function donePage(visit: Visit, list: string): Html {
  return consolePage(visit, {
    title: visit.t("done_already_title"),
    section: list,
    content: html`<section class="card">
      <p>${visit.t("done_already_text")}</p>
      <p><a class="button primary" href="${visit.path(list)}">${visit.t("to_list")}</a></p>
    </section>`,
  });
}

/** Returns call options with the form's idempotency key. */
export function idempotent(visit: Visit): CallOptions {
  const headers = new Headers(visit.as.headers);
  headers.set(HEADERS.idempotencyKey, `console-${submissionIdOf(visit) ?? randomUUID()}`);
  return { ...visit.as, headers };
}
