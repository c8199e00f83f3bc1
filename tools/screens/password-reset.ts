import { setTimeout as wait } from "node:timers/promises";
import type { startSmtp } from "../../test/support/smtp.ts";
import type { TestService } from "../../test/support/service.ts";
import { Users } from "../../test/support/users.ts";

const PATIENCE_MS = 30_000;
const POLL_MS = 50;
const LINK = /\/console\/reset\/([\w-]{43})/;

/** Asks for a link to a new password, and returns its token as the e-mail has it. Throws Error where none comes. */
export async function resetToken(
  service: TestService,
  { receiver }: Pick<Awaited<ReturnType<typeof startSmtp>>, "receiver">,
  email: string,
): Promise<string> {
  const { client, internal } = new Users(service);
  await client.requestPasswordReset({ email, address: "" }, internal);
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    await service.core.tasks.answerResets();
    await service.core.tasks.sendMail();
    for (const { parsed } of receiver.to(email)) {
      const [, token] = LINK.exec(parsed.text ?? "") ?? [];
      if (token !== undefined) return token;
    }
    if (Date.now() > until) throw new Error("the link to a new password did not arrive");
    await wait(POLL_MS);
  }
}
