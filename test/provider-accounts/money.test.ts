import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "@connectrpc/connect";
import { X509Certificate } from "node:crypto";
import fastify from "fastify";
import { takeCallbacks } from "../../gateway/callbacks.ts";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { CallbackProofKind, ProviderKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { newAuthority } from "../support/certificates.ts";
import { secondService } from "../support/service.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { Payer } from "../support/payer.ts";
import { createMerchant } from "../support/merchant.ts";
import { advance, configAt, connectMerchant, startLive, type LiveService } from "./live-merchant.ts";

const live = await forFile(startLive());
const rows = await forFile(new DatabaseRows(live.service.databaseUrl).open());

const tasks = () => live.service.core.tasks;
const send = async (url: string, payload: string | Buffer) =>
  (
    await live.service.gateway.inject({
      method: "POST",
      url,
      payload,
      headers: { "content-type": "application/json" },
    })
  ).statusCode;
const told = (txid: string, endToEndId: string) =>
  JSON.stringify({ pix: [{ txid, endToEndId, valor: "159.90" }] });

/** Registers the merchant's callbacks at the bank. Returns the query of their address. */
async function register(id: string, as: { headers: Record<string, string> }): Promise<string> {
  await live.providers.verifyProviderAccount({ id, isRegistered: true }, as);
  const put = live.bank.requests.findLast(({ text }) => text.includes("webhookUrl"));
  const { webhookUrl } = JSON.parse(put?.text ?? "") as { webhookUrl: string };
  return `${new URL(webhookUrl).search}/pix`;
}

describe("live mode", () => {
  test("offers PIX with an account, makes the code at the bank, and counts the money once", async () => {
    const merchant = await connectMerchant(live);
    const { paymentId, reference, payer } = await merchant.start();
    const { pixCode } = (await payer.session()).payment ?? {};
    expect(pixCode).toContain(live.bank.charge(reference).location);
    live.bank.pay(reference, 15_990n);
    advance(live, 60);
    await tasks().checkCharges();
    expect(await merchant.status(paymentId)).toBe("succeeded");
  });

  test("offers nothing without an account, and nothing new with a retired one, which still answers", async () => {
    const bare = new Payer(live.service, await (await createMerchant(live.service, {}, "live")).newLink());
    await expect(bare.open()).rejects.toThrow("pix is not offered here");
    const merchant = await connectMerchant(live);
    const { paymentId, reference } = await merchant.start();
    await live.providers.retireProviderAccount({ id: merchant.accountId }, merchant.as);
    await expect(merchant.start()).rejects.toThrow("pix is not offered here");
    live.bank.pay(reference, 15_990n);
    advance(live, 60);
    await tasks().checkCharges();
    expect(await merchant.status(paymentId)).toBe("succeeded");
  });

  test("case 15: another process uses the new credentials after a rotation", async () => {
    const merchant = await connectMerchant(live);
    const second = await secondService(live.service, {
      allowLoopbackProviders: true,
      lookup: (_name, options, callback) =>
        options.all ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4),
    });
    await merchant.start();
    const { reference } = await merchant.start();
    live.bank.pay(reference, 15_990n);
    const id = merchant.accountId;
    await live.providers.rotateProviderAccount({ id, config: configAt(live) }, merchant.as);
    advance(live, 60);
    await second.core.tasks.checkCharges();
    expect(await merchant.status(reference.replace("pay", "pay_"))).toBe("succeeded");
    await second.close();
  });

  test("case 15: does not use one tenant's account for another", async () => {
    const [one, other] = [await connectMerchant(live), await createMerchant(live.service, {}, "live")];
    const { accounts } = await live.providers.listProviderAccounts({}, other.as);
    expect(accounts).toEqual([]);
    expect(one.accountId).toMatch(/^pac_/);
    const request = { kind: ProviderKind.PIX, profile: "bacen", config: configAt(live) };
    await live.providers.putProviderAccount(request, other.as);
  });
});

describe("a callback", () => {
  test("case 3: reported twenty times, batched with others, moves its payment once", async () => {
    const merchant = await connectMerchant(live);
    const query = await register(merchant.accountId, merchant.as);
    const { paymentId, reference } = await merchant.start();
    const { endToEndId } = live.bank.pay(reference, 15_990n);
    const [one, other] = [
      { txid: reference, endToEndId },
      { txid: "x".repeat(30), endToEndId: "E9" },
    ];
    for (let time = 0; time < 20; time++) {
      const pix = time % 2 === 0 ? [one] : [other, one];
      expect(await send(merchant.path + query, JSON.stringify({ pix }))).toBe(200);
    }
    expect(await merchant.status(paymentId)).toBe("pending");
    await tasks().answerCallbacks();
    await tasks().answerCallbacks();
    expect(await merchant.status(paymentId)).toBe("succeeded");
    const events = await rows.read("SELECT type FROM live.event WHERE object_id = $1", [paymentId]);
    expect(events.filter(({ type }) => type === "payment.succeeded")).toHaveLength(1);
    const entries = await rows.read("SELECT * FROM live.taken_receipt WHERE payment_id = $1", [paymentId]);
    expect(entries).toHaveLength(1);
    const inbox = await rows.read(
      "SELECT unknown_count AS n FROM live.provider_callback WHERE account_id = $1",
      [merchant.accountId],
    );
    expect(new Set(inbox.map(({ n }) => n))).toEqual(new Set([0, 1]));
    expect(inbox).toHaveLength(2);
  });

  test("case 5: forged in any way, moves nothing", async () => {
    const [merchant, other] = [await connectMerchant(live), await connectMerchant(live)];
    const query = await register(merchant.accountId, merchant.as);
    const otherQuery = await register(other.accountId, other.as);
    const { paymentId, reference } = await merchant.start();
    const body = told(reference, "E1");
    expect(await send(merchant.path, body)).toBe(403);
    expect(await send(`${merchant.path}/pix`, body)).toBe(403);
    expect(await send(`${merchant.path}/pix?hmac=wrong`, body)).toBe(403);
    expect(await send(`${merchant.path}${query}&hmac=wrong`, body)).toBe(403);
    expect(await send(merchant.path + otherQuery, body)).toBe(403);
    expect(await send(`/providers/unknown/pix${query}`, body)).toBe(404);
    expect(await send(merchant.path + query, Buffer.alloc(300 * 1024, 32))).toBe(413);
    // Another account's true proof, and money that the bank does not have.
    expect(await send(other.path + otherQuery, body)).toBe(200);
    expect(await send(merchant.path + query, body)).toBe(200);
    await tasks().answerCallbacks();
    expect(await merchant.status(paymentId)).toBe("pending");
    const inbox = await rows.read(
      "SELECT unknown_count AS n FROM live.provider_callback WHERE account_id = $1",
      [other.accountId],
    );
    expect(inbox).toEqual([{ n: 1 }]);
  });
});

test("a gateway whose token may not take callbacks answers 500, so that the bank tries again", async () => {
  const merchant = await connectMerchant(live);
  const query = await register(merchant.accountId, merchant.as);
  const { transport } = live.service.core;
  const identity = createClient(IdentityService, transport);
  const named = { name: "rest", permissions: ["identity:read"], isGateway: true };
  const { token } = await identity.createCoreToken(named, live.service.internal);
  const app = fastify();
  takeCallbacks(app, { transport, coreToken: token });
  const sent = await app.inject({
    method: "POST",
    url: merchant.path + query,
    payload: told("x".repeat(30), "E1"),
  });
  expect(sent.statusCode).toBeGreaterThanOrEqual(500);
  await app.close();
});

describe("a callback with a certificate", () => {
  let proxied: LiveService;
  beforeAll(async () => {
    proxied = await startLive({
      trustedProxies: ["127.0.0.1", "192.0.2.1"],
      certificateProxies: ["127.0.0.1"],
    });
  });
  afterAll(async () => await proxied.close());

  test("case 5: is taken from the right client of the right authority alone", async () => {
    const [right, wrong] = [await newAuthority("Bank CA"), await newAuthority("Bank CA")];
    const own = await right.issue();
    const proof = { kind: CallbackProofKind.MTLS, ca: right.cert, issuer: "Bank CA", subject: "localhost" };
    const merchant = await connectMerchant(proxied, proof);
    const other = await connectMerchant(proxied, { ...proof, subject: "another client" });
    const elsewhere = await connectMerchant(proxied, { ...proof, issuer: "Bank CA 2" });
    // The certificates are younger than the clock.
    advance(proxied, 60);
    const sent = async (path: string, pem: string | null, remoteAddress = "127.0.0.1") => {
      const text = pem && `:${new X509Certificate(pem).raw.toString("base64")}:`;
      const headers = text ? { "client-cert": text } : {};
      const url = `${path}/pix`;
      const payload = told("x".repeat(30), "E1");
      return (await proxied.service.gateway.inject({ method: "POST", url, payload, headers, remoteAddress }))
        .statusCode;
    };
    expect(await sent(merchant.path, null)).toBe(403);
    expect(await sent(merchant.path, (await wrong.issue()).cert)).toBe(403);
    expect(await sent(merchant.path, right.cert)).toBe(403);
    expect(await sent(other.path, own.cert)).toBe(403);
    expect(await sent(elsewhere.path, own.cert)).toBe(403);
    // A proxy that passes on what a client sends as Client-Cert.
    expect(await sent(merchant.path, own.cert, "192.0.2.1")).toBe(403);
    expect(await sent(merchant.path, own.cert, "198.51.100.1")).toBe(403);
    expect(await sent(merchant.path, own.cert)).toBe(200);
  });
});
