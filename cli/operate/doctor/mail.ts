import type { Config } from "../../../src/platform/config/config.ts";
import { isLoopbackHost, hostOf } from "../../../src/platform/text/host-in-url.ts";
import type { MailConfig } from "../../../src/platform/config/outside-config.ts";
import { findingsOf, lineOf, type Finding } from "./finding.ts";

const { ok, warning, problem } = findingsOf("e-mail");

/** Signs in to the server of e-mails, and sends nothing. Yields no finding if none is configured. */
export async function* examineMail({
  mail,
  publicUrl,
}: Pick<Config, "mail" | "publicUrl">): AsyncGenerator<Finding> {
  if (!mail) return;
  yield await checkServer(mail);
  if (isLoopbackHost(hostOf(publicUrl))) {
    yield warning(
      `links in e-mails lead to ${publicUrl}, which only this machine reaches`,
      "Set PUBLIC_URL to the address at which browsers reach the gateway.",
    );
  }
}

async function checkServer(mail: MailConfig): Promise<Finding> {
  const where = `${mail.host}, port ${mail.port}`;
  // nodemailer is loaded where e-mail is sent alone.
  const { Mailer, MailFailure } = await import("../../../src/mail/mailer.ts");
  const { nameLookup } = await import("../../../src/webhooks/name-lookup.ts");
  try {
    await new Mailer(mail, nameLookup()).verify();
    const how =
      mail.security === "plain" ? "without TLS, on this machine" : "with TLS and a good certificate";
    return ok(`${where} takes e-mails, ${how}`);
  } catch (error) {
    if (!(error instanceof MailFailure)) return problem(lineOf(error), "Let SMTP_CA name a readable file.");
    return problem(`${where} takes no e-mails: ${error.code}`, adviceOn(error.code));
  }
}

function adviceOn(code: string): string {
  if (code.startsWith("eauth")) return "Correct user and password in SMTP_URL.";
  if (/cert|self_signed|altname|etls|esocket|unable_to/.test(code)) {
    return "The server needs TLS with a certificate of its name; SMTP_CA names an authority of your own.";
  }
  return "Correct host and port in SMTP_URL, and let this machine reach them.";
}
