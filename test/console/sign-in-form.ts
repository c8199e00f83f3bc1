import { codeOf, ConsoleClient, type TestUser } from "../support/console.ts";
import type { TestService } from "../support/service.ts";

/** A code is good once: by then the app shows the next one. */
const NEXT_CODE_SECONDS = 60;

export async function signIn(client: ConsoleClient, form: Record<string, string>, headers = {}) {
  return await client.post("/console/signin", "/console/signin", form, headers);
}

/** What the user types now; the code is one that was not used yet. */
export function typed(
  service: TestService,
  { email, password, totpSecret }: TestUser,
): Record<string, string> {
  service.clock.advance(NEXT_CODE_SECONDS);
  return { email, password, code: codeOf(totpSecret, service) };
}

/** The authenticator's key that a page shows. */
export function secretOn(body: string): string {
  const shown = /id="totp-secret"[^>]*>([^<]+)</.exec(body)?.[1] ?? "";
  return shown.replaceAll(" ", "");
}
