import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { beforeEach, describe, expect, test } from "vitest";
import { MailFailure, Mailer } from "../../src/mail/mailer.ts";
import { linkMail } from "../../src/mail/texts.ts";
import type { MailConfig } from "../../src/platform/config/outside-config.ts";
import { nameLookup } from "../../src/webhooks/name-lookup.ts";
import { forFile } from "../support/for-file.ts";
import { LOGIN, mailConfig, smtpForFile } from "../support/smtp.ts";

const starttls = await smtpForFile();
const smtps = await smtpForFile({ secure: true });
const uncovered = await smtpForFile({ disabledCommands: ["STARTTLS"], allowInsecureAuth: true });
const kinds = [
  ["STARTTLS", starttls],
  ["TLS from the first byte", smtps],
] as const;
const never = new AbortController().signal;
const CONTENT = { to: "ana@example.test", subject: "Convite: Ação", text: "Olá, Ação\n\nhttps://x.test\n" };

beforeEach(() => {
  for (const { receiver } of [starttls, smtps, uncovered]) receiver.mails.length = 0;
});

const mailer = (config: MailConfig, limits?: ConstructorParameters<typeof Mailer>[2]) =>
  new Mailer(config, nameLookup(), limits);

/** Returns the code of the failure, or "sent". */
async function codeOf(sending: Promise<void>): Promise<string> {
  return await sending.then(
    () => "sent",
    (error: unknown) => {
      if (!(error instanceof MailFailure)) throw error;
      expect(JSON.stringify([error, error.message, error.stack])).not.toContain(LOGIN.password);
      return error.code;
    },
  );
}

describe.each(kinds)("by %s", (_name, { receiver, config, caFile }) => {
  test("an e-mail arrives, signed in and encrypted, as others read it", async () => {
    await mailer(config).send("eml_1", CONTENT, never);
    const [mail] = receiver.mails;
    expect(mail).toMatchObject({ isSecure: true, recipients: [CONTENT.to] });
    expect(mail?.parsed).toMatchObject({
      subject: CONTENT.subject,
      text: CONTENT.text,
      html: false,
      attachments: [],
      messageId: "<eml_1@shop.example>",
    });
    expect(mail?.parsed.from?.text).toBe('"Paylink" <pay@shop.example>');
    expect(mail?.parsed.headers.get("auto-submitted")).toBe("auto-generated");
    expect(await codeOf(mailer(config).verify())).toBe("sent");
  });

  test("a certificate of an unknown authority, or of another name, is refused before the password", async () => {
    expect(await codeOf(mailer({ ...config, caFile: undefined }).send("eml_1", CONTENT, never))).not.toBe(
      "sent",
    );
    expect(await codeOf(mailer({ ...config, caFile, host: "127.0.0.1" }).verify())).not.toBe("sent");
    expect(receiver.mails).toEqual([]);
  });

  test("a wrong password is a failure of the server's, which says nothing of it", async () => {
    const login = { ...LOGIN, password: `${LOGIN.password}!` };
    expect(await codeOf(mailer({ ...config, login }).send("eml_1", CONTENT, never))).toBe("eauth_535");
  });

  test("a recipient that the server does not have is final, and one that has to wait is not", async () => {
    const refused = async (responseCode: number) => {
      receiver.beforeTaken = () => {
        throw Object.assign(new Error("not now, ana@example.test"), { responseCode });
      };
      return await mailer(config)
        .send("eml_1", CONTENT, never)
        .catch((error: unknown) => error);
    };
    expect(await refused(550)).toMatchObject({ code: "eenvelope_550", isFinal: true, isOfOne: true });
    expect(await refused(451)).toMatchObject({ code: "eenvelope_451", isFinal: false, isOfOne: true });
    receiver.beforeTaken = () => undefined;
  });
});

test("a server without STARTTLS gets neither password nor e-mail", async () => {
  const { receiver, config } = uncovered;
  expect(await codeOf(mailer(config).send("eml_1", CONTENT, never))).toMatch(/^etls/);
  expect(receiver.mails).toEqual([]);
});

test.each([
  "Loja\r\nBcc: evil@example.test",
  "Loja\nContent-Type: text/html\n\n<script>",
  "Loja\u2028\u202Egnp.exe\0",
  '"><img src=x> <evil@example.test>, other@example.test',
  "Ação ".repeat(100),
])("the name %j is text in an e-mail, and nothing else", async (tenantName) => {
  const { receiver, config } = starttls;
  const expiresAt = new Date("2026-11-30T12:00:00Z");
  const link = { to: CONTENT.to, language: "en", url: "https://pay.test/x", expiresAt, tenantName } as const;
  const from = { ...config.from, name: tenantName };
  await mailer({ ...config, from }).send("eml_1", linkMail("invitation", link), never);
  const [mail] = receiver.mails;
  expect(mail?.recipients).toEqual([CONTENT.to]);
  expect(mail?.parsed).toMatchObject({ html: false, attachments: [] });
  expect(mail?.parsed.from?.value).toHaveLength(1);
  expect(mail?.parsed.from?.value[0]?.address).toBe("pay@shop.example");
  const { subject = "", text = "" } = mail?.parsed ?? {};
  expect(subject).toMatch(/^Invitation to \S[^\p{Cc}\p{Cf}]{0,99}$/u);
  expect(text.split("\n\n")).toHaveLength(3);
  expect([...(mail?.parsed.headers.keys() ?? [])].toSorted()).toEqual([
    "auto-submitted",
    "content-transfer-encoding",
    "content-type",
    "date",
    "from",
    "message-id",
    "mime-version",
    "subject",
    "to",
    "x-auto-response-suppress",
  ]);
});

describe("a server that", () => {
  const LIMITS = { connectMs: 300, silenceMs: 300, sendMs: 1000 };
  const sockets = new Set<Socket>();
  let behave: (socket: Socket) => void = () => undefined;

  async function listening() {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
      socket.resume();
      behave(socket);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return { port, close: async () => void (await new Promise((resolve) => server.close(resolve))) };
  }

  const talk = (socket: Socket, answer: () => string): void => {
    socket.write("220 slow\r\n");
    socket.on("data", () => socket.write(answer()));
  };
  test.each<[string, MailConfig["security"], (socket: Socket) => void]>([
    ["accepts and says nothing", "starttls", () => undefined],
    ["never ends the handshake of TLS", "smtps", () => undefined],
    ["greets and answers nothing", "starttls", (socket) => socket.write("220 slow\r\n")],
    [
      "says a little, without end",
      "starttls",
      (socket) => void setInterval(() => socket.write("220-a\r\n"), 50),
    ],
    [
      "promises STARTTLS and says nothing then",
      "starttls",
      (socket) => talk(socket, () => "250-x\r\n250 STARTTLS\r\n"),
    ],
    ["closes at once", "starttls", (socket) => socket.destroy()],
  ])("%s holds up one e-mail for its time, and keeps no connection", async (_name, security, behaviour) => {
    behave = behaviour;
    const { port } = await forFile(listening());
    const config = mailConfig(port, { security });
    expect(await codeOf(mailer(config, LIMITS).send("eml_1", CONTENT, never))).toMatch(/^[a-z0-9_]+$/);
    await expect.poll(() => sockets.size, { timeout: 10_000 }).toBe(0);
  });
});
