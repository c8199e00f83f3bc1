import { describe, expect, test } from "vitest";
import { examineMail } from "../../cli/operate/doctor/mail.ts";
import { createLog } from "../../cli/observe/log.ts";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { readConfig } from "../../src/platform/config/config.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";
import { LOGIN, smtpForFile } from "../support/smtp.ts";
import { Users } from "../support/users.ts";

const { port, caFile, config, receiver } = await smtpForFile();
const PUBLIC_URL = "https://pay.shop.example";
const MAIL_FROM = "Loja Ação <pay@shop.example>";

/** The variables of the server, with this password. */
function variables(password = LOGIN.password, of: Record<string, string> = {}): Record<string, string> {
  const SMTP_URL = `smtp://${LOGIN.user}:${encodeURIComponent(password)}@localhost:${port}`;
  return { PUBLIC_URL, SMTP_URL, MAIL_FROM, SMTP_CA: caFile, ...of };
}

describe("the variables of e-mail", () => {
  test("say server, sender and login", () => {
    expect(readConfig(variables("a/b@c:d")).mail).toEqual({
      host: "localhost",
      port,
      security: "starttls",
      login: { user: LOGIN.user, password: "a/b@c:d" },
      from: { name: "Loja Ação", address: "pay@shop.example" },
      caFile,
    });
    expect(readConfig({ PUBLIC_URL }).mail).toBeUndefined();
  });

  test.each([
    ["smtps://mail.example", "smtps", 465],
    ["smtp://mail.example", "starttls", 587],
    ["smtp://mail.example:2525", "starttls", 2525],
    ["smtp://localhost:2525", "plain", 2525],
    ["smtp://user:secret@127.0.0.1:2525", "starttls", 2525],
  ])("%s is %s on port %i", (SMTP_URL, security, where) => {
    expect(readConfig({ SMTP_URL, MAIL_FROM }).mail).toMatchObject({ security, port: where });
  });

  test.each([
    [{ SMTP_URL: "https://user:secret@mail.example", MAIL_FROM }, /SMTP_URL must be/],
    [{ SMTP_URL: "smtp://user:secret@mail.example/?x=1", MAIL_FROM }, /SMTP_URL must be/],
    [{ SMTP_URL: "smtp://user:%E0%secret@mail.example", MAIL_FROM }, /percent-encoded/],
    [{ SMTP_URL: "smtp://user:secret@mail.example" }, /MAIL_FROM must be/],
    [
      { SMTP_URL: "smtp://user:secret@mail.example", MAIL_FROM: "a@b.c\r\nBcc: evil@x.y" },
      /MAIL_FROM must be/,
    ],
    [{ MAIL_FROM }, /need SMTP_URL/],
  ])("%j are refused without the secret", (given, problem) => {
    const read = () => readConfig(given);
    expect(read).toThrow(problem);
    expect(read).not.toThrow(/secret/);
  });
});

describe("the doctor", () => {
  const found = async (env: Record<string, string>) => {
    const findings = await Array.fromAsync(examineMail(readConfig(env)));
    expect(JSON.stringify(findings)).not.toContain(LOGIN.password);
    return findings.map(({ status, found: text }) => [status, text]);
  };

  test("signs in to the server, and says what keeps it from it", async () => {
    expect(await found({ PUBLIC_URL })).toEqual([]);
    const good = expect.stringContaining("with TLS and a good certificate");
    expect(await found(variables())).toEqual([["ok", good]]);
    const local = expect.stringContaining("only this machine reaches");
    expect(await found(variables(LOGIN.password, { PUBLIC_URL: "http://localhost:8080" }))).toEqual([
      ["ok", good],
      ["warning", local],
    ]);
    expect(await found(variables("wrong"))).toEqual([["problem", expect.stringContaining("eauth_535")]]);
    const unknown = { PUBLIC_URL, MAIL_FROM, SMTP_URL: variables()["SMTP_URL"] ?? "" };
    expect(await found(unknown)).toEqual([["problem", expect.stringContaining("takes no e-mails")]]);
    const missing = variables(LOGIN.password, { SMTP_CA: "/nowhere/ca.pem" });
    expect(await found(missing)).toEqual([["problem", expect.stringContaining("ENOENT")]]);
    expect(receiver.mails).toEqual([]);
  });
});

test("the log says that an e-mail waits and that it was given up, and neither address, password nor answer", async () => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const mail = { ...config, login: { ...LOGIN, password: "a wrong secret" } };
  const service = await forFile(startService("direct", { mail, log }));
  const users = new Users(service);
  const email = users.newEmail();
  await users.invite((await service.createTenant()).id, Role.VIEWER, email);
  await service.core.tasks.sendMail();
  service.clock.advance(25 * 3600);
  await service.core.tasks.sendMail();
  const text = lines.join("");
  expect(text).toMatch(/"code":"eauth_535".*"an e-mail was not sent and waits"/);
  expect(text).toContain("an e-mail was given up");
  for (const secret of [email, "a wrong secret", "wrong login"]) expect(text).not.toContain(secret);
});
