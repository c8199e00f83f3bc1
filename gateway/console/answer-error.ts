import type { FastifyReply, FastifyRequest } from "fastify";
import { HEADERS } from "../../contract/headers.ts";
import { isCoreUnavailable } from "../transcode/errors.ts";
import { note } from "../http/request-observer.ts";
import type { Guard } from "./guard.ts";
import { messagePage } from "./problem-page.ts";
import { codeOf, isUnknown } from "./problems.ts";
import { Refused, type Reason } from "./refused.ts";
import type { Guest } from "./visit.ts";
import type { MessageKey } from "./messages.ts";

type Said = Exclude<Reason, "signed_out">;

const ANSWERS: Readonly<
  Record<Said, { readonly status: number; readonly title: MessageKey; readonly text: MessageKey }>
> = {
  unknown: { status: 404, title: "unknown_title", text: "unknown_text" },
  forbidden: { status: 403, title: "forbidden_title", text: "forbidden_text" },
  foreign_form: { status: 403, title: "form_refused_title", text: "form_refused_text" },
  too_large: { status: 413, title: "too_large_title", text: "too_large_text" },
  busy: { status: 429, title: "busy_title", text: "busy_text" },
};

/** Sends the page for an error. It shows no internal details. */
export async function answerError(
  guard: Guard,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const reason = reasonOf(error) ?? (isNoAddress(error, request) ? "unknown" : undefined);
  note(request, { outcome: reason ?? "page_failed" });
  if (reason === "signed_out") {
    guard.clearEnded(request, reply);
    return toSignIn(request, reply);
  }
  const begun = guard.begunVisit(request);
  // What is too large was refused before its visit began.
  const visit = begun ?? (reason === "too_large" ? await guard.unreadVisit(request, reply) : undefined);
  const guest: Guest = visit ?? guard.guest(request, reply);
  if (reason) {
    const { status, title, text } = ANSWERS[reason];
    const role = visit ? guest.t(`role_${visit.role}`) : "";
    return await guest.show(messagePage(guest, guest.t(title), guest.t(text, { role })), status);
  }
  if (!isCoreUnavailable(error)) request.log.error({ err: error, request_id: request.id }, "page failed");
  reply.header(HEADERS.retryAfter, "1");
  const text = guest.t("wrong_text", { request: request.id });
  return await guest.show(messagePage(guest, guest.t("wrong_title"), text), 503);
}

/** Returns whether a GET asks for something that the core refuses as invalid: there is no such page. */
function isNoAddress(error: unknown, { method }: FastifyRequest): boolean {
  return (method === "GET" || method === "HEAD") && codeOf(error) === "invalid_request";
}

function reasonOf(error: unknown): Reason | undefined {
  if (error instanceof Refused) return error.reason;
  // The session ended between its check and the call.
  if (codeOf(error) === "invalid_session") return "signed_out";
  if (isUnknown(error)) return "unknown";
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  if (status === 413) return "too_large";
  return status >= 400 && status < 500 ? "foreign_form" : undefined;
}

/** Redirects to the sign-in page, which leads back to the requested page. The fields of a form are lost. */
function toSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // The sign-in page does not fit into a part of a page, so the whole page goes there.
  if (request.headers["hx-request"] === "true")
    return reply.code(204).header("hx-redirect", "/console/signin").send();
  const asked = request.method === "POST" ? { ended: "1" } : { next: request.url };
  const address = `/console/signin?${new URLSearchParams(asked).toString()}`;
  return reply.header("cache-control", "no-store").redirect(address, 303);
}
