import type { AddressInfo } from "node:net";
import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { CallbackProofKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { connectMerchant } from "../provider-accounts/live-merchant.ts";
import { newAuthority } from "../support/certificates.ts";
import { forFile } from "../support/for-file.ts";
import { readAnswers, sendRaw } from "../support/raw-http.ts";
import { PAID_ONCE } from "./outcome.ts";
import { Scene } from "./scene.ts";

const scene = await forFile(Scene.start({ certificateProxies: ["127.0.0.1"] }));
const { bank, service } = scene.live;
const merchant = await scene.merchant();
const other = await scene.merchant();
const [hmac, otherHmac] = [await scene.register(merchant), await scene.register(other)];
bank.callbacks.mode = "lost";

const send = async (path: string, pix: object[] | undefined, headers: Record<string, string> = {}) => {
  const payload = JSON.stringify(pix === undefined ? { evento: "teste_webhook" } : { pix });
  const all = { "content-type": "application/json", ...headers };
  return (await service.gateway.inject({ method: "POST", url: path, payload, headers: all })).statusCode;
};
const own = `${merchant.path}?hmac=${hmac}&ignorar=/pix`;
const inboxOf = async (accountId: string) =>
  await scene.rows.read("SELECT unknown_count AS n FROM live.provider_callback WHERE account_id = $1", [
    accountId,
  ]);

describe("case 3: callbacks in any number and order", () => {
  test("case 3: a return before its money, twenty times, with others, is one receipt, return, entry and event each", async () => {
    const [first, second] = [await merchant.start(), await merchant.start()];
    const [paid, plain] = [first, second].map(({ reference }) => bank.pay(reference, 15_990n));
    bank.returnByBank(paid?.endToEndId ?? "", 1000n);
    const [{ id: returned } = { id: "" }] = paid?.returns ?? [];
    const news = [
      { txid: first.reference, endToEndId: paid?.endToEndId, devolucoes: [{ id: returned }] },
      { txid: second.reference, endToEndId: plain?.endToEndId },
      { txid: first.reference, endToEndId: paid?.endToEndId },
    ];
    for (let time = 0; time < 20; time++) {
      const turned = [...news.slice(time % 3), ...news.slice(0, time % 3)];
      expect(await send(own, time < 3 ? [turned[0] ?? {}] : [...turned, { txid: `x${time}` }])).toBe(200);
      if (time % 5 === 0) await scene.pass(0, ["answerCallbacks"]);
    }
    await scene.pass(0, ["answerCallbacks"]);
    expect(await scene.outcome(merchant, second.paymentId)).toEqual(PAID_ONCE);
    expect(await scene.outcome(merchant, first.paymentId)).toEqual({
      ...PAID_ONCE,
      entries: ["payment", "return"],
      events: ["payment.succeeded", "payment.returned"],
    });
  });
});

test("case 4: a check finds the money whose callback was lost", async () => {
  const { paymentId, reference } = await merchant.start();
  const told = bank.callbacks.lostCount;
  bank.pay(reference, 15_990n);
  expect(bank.callbacks.lostCount).toBe(told + 1);
  await scene.pass(60, ["checkCharges"]);
  expect(await scene.outcome(merchant, paymentId)).toEqual(PAID_ONCE);
});

describe("case 5: callbacks that are forged", () => {
  test("case 5: of another account's true money, or of another key, move nothing", async () => {
    const [{ paymentId, reference }, theirs] = [await merchant.start(), await other.start()];
    const { endToEndId } = bank.pay(theirs.reference, 15_990n);
    const astray = bank.payKey(15_990n, { clientId: other.clientId, txid: reference });
    const before = (await inboxOf(merchant.accountId)).length;
    const { unknownReferenceCount } = await service.core.providerStanding();
    expect(await send(own, [{ txid: reference, endToEndId, valor: "159.90" }])).toBe(200);
    expect(await send(own, [{ txid: theirs.reference, endToEndId, chave: "loja2@example.com" }])).toBe(200);
    expect(await send(own, [{ txid: reference, endToEndId: astray.endToEndId }])).toBe(200);
    expect(
      await send(`${other.path}?hmac=${otherHmac}&ignorar=/pix`, [{ txid: reference, endToEndId }]),
    ).toBe(200);
    await scene.pass(0, ["answerCallbacks"]);
    expect(await scene.outcome(merchant, paymentId)).toMatchObject({ status: "pending", money: 0 });
    expect(await scene.outcome(other, theirs.paymentId)).toMatchObject({ status: "pending", money: 0 });
    const counts = (await inboxOf(merchant.accountId)).slice(before).map(({ n }) => Number(n));
    expect(counts.toSorted((left, right) => left - right)).toEqual([0, 0, 1]);
    expect(await inboxOf(other.accountId)).toEqual([{ n: 1 }]);
    const standing = await service.core.providerStanding();
    expect(standing.unknownReferenceCount).toBe(unknownReferenceCount + 2);
  });

  test("case 5: of a body of 1 GB are refused before it is read", async () => {
    await service.gateway.listen({ host: "127.0.0.1", port: 0 });
    const { port } = service.gateway.server.address() as AddressInfo;
    const before = (await inboxOf(merchant.accountId)).length;
    const head = `POST ${own} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n`;
    const [answer] = readAnswers(await sendRaw(port, `${head}content-length: 1073741824\r\n\r\n{"pix":[`));
    expect(answer?.status).toBe(413);
    expect(await inboxOf(merchant.accountId)).toHaveLength(before);
  });
});

test("Efí's first try of an address without a certificate is refused, and its second one with it is taken", async () => {
  const authority = await newAuthority("Efi CA");
  const { cert } = await authority.issue();
  const proof = { kind: CallbackProofKind.MTLS, ca: authority.cert, issuer: "Efi CA", subject: "localhost" };
  const { path } = await connectMerchant(scene.live, proof);
  // The certificates are younger than the clock.
  await scene.pass(60, []);
  expect(await send(path, undefined)).toBe(403);
  const der = new X509Certificate(cert).raw.toString("base64");
  // As two headers arrive.
  expect(await send(path, undefined, { "client-cert": `:${der}:, :${der}:` })).toBe(403);
  expect(await send(path, undefined, { "client-cert": `:${der}:` })).toBe(200);
});
