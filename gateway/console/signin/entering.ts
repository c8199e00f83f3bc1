import type { FastifyReply, FastifyRequest } from "fastify";
import type { Guard } from "../guard.ts";
import { hashToken } from "../session-token.ts";
import { askToWait } from "../problems.ts";
import type { Guest } from "../visit.ts";

const WAIT_STATUS = 429;
const PROBLEM_STATUS = 422;

/** The options of forms that anyone may send. A refused one is shown again with what it holds, six times as long in HTML. */
export const GUEST_FORM = { bodyLimit: 16 * 1024 };

/** Starts the session. Ends the browser's earlier session and clears its form secret. */
export async function enter(
  guard: Guard,
  guest: Guest,
  { sessionToken, browserToken }: { readonly sessionToken: string; readonly browserToken: string },
  next: string,
): Promise<FastifyReply> {
  await guard.endFormer(guest);
  guard.cookies.set(guest.reply, "session", sessionToken);
  guard.cookies.set(guest.reply, "browser", browserToken);
  guard.cookies.clear(guest.reply, "form");
  return guest.goTo(next);
}

/** Returns where a request comes from: the network and the browser. */
export function whence(guard: Guard, request: FastifyRequest) {
  const { ip: address, headers } = request;
  const known = guard.cookies.read(request, "browser");
  return {
    address,
    userAgent: (headers["user-agent"] ?? "").slice(0, 200),
    ...(known === undefined ? {} : { browserTokenHash: hashToken(known) }),
  };
}

/** Returns the status of a refused form. */
export function statusOf(error: unknown, { reply }: Guest): number {
  return askToWait(error, reply) ? WAIT_STATUS : PROBLEM_STATUS;
}

/** Returns a code without what people type between its digits. */
export function digits(code: string): string {
  return code.replaceAll(/[\s-]/g, "");
}
