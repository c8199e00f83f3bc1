import { getCACertificates, setDefaultCACertificates } from "node:tls";
import {
  EfiPay,
  PixConfigWebhookBodySchema,
  PixCreateChargeBodySchema,
  PixDevolutionBodySchema,
  PixUpdateChargeBodySchema,
} from "sdk-node-apis-efi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyAccount } from "../../src/providers/api-pix/verification.ts";
import { writeFiles } from "../support/certificates.ts";
import {
  accountAt,
  chargeRequest,
  CLIENT,
  connected,
  KEY,
  locationReadElsewhere,
  movedProfile,
  newReference,
  newRefundId,
  testBank,
} from "./connected.ts";

const made = await testBank();
afterAll(async () => await made.bank.stop());

describe("what the adapter sends", () => {
  test("passes the strict schemas of Efí's own client", async () => {
    const { client, provider } = connected(made, { ...accountAt(made), profile: movedProfile("efi") });
    const request = chargeRequest();
    await provider.createCharge(request);
    const { endToEndId: providerPaymentId } = made.bank.pay(request.reference, 15_990n);
    const refund = {
      refundId: newRefundId(),
      providerPaymentId,
      amountMinor: 1n,
      reason: "Defeito",
      requestedAt: new Date(0),
    };
    await provider.refund(refund);
    const removed = chargeRequest();
    await provider.createCharge(removed);
    await provider.cancel(removed.reference);
    const callbackUrl = "https://pay.example.com/providers/x?hmac=secret&ignorar=";
    await verifyAccount(client, made.bank.clock, { callbackUrl, isRegistered: true, isReplaced: false });
    const sent = (name: string): unknown =>
      JSON.parse(made.bank.requests.findLast(({ call }) => call === name)?.text ?? "");
    expect(PixCreateChargeBodySchema.safeParse(sent("createCharge")).error).toBeUndefined();
    expect(PixUpdateChargeBodySchema.safeParse(sent("changeCharge")).error).toBeUndefined();
    expect(PixDevolutionBodySchema.safeParse(sent("return")).error).toBeUndefined();
    expect(PixConfigWebhookBodySchema.safeParse(sent("setWebhook")).error).toBeUndefined();
  });
});

describe("Efí's own client", () => {
  const trusted = getCACertificates("default");
  let files: Awaited<ReturnType<typeof writeFiles<"cert" | "key">>>;
  let efi: EfiPay;
  beforeAll(async () => {
    files = await writeFiles({ cert: made.identity.cert, key: made.identity.key });
    // It has its addresses in a file of its own, and trusts what Node trusts.
    setDefaultCACertificates([...trusted, made.authority.cert]);
    const constants = new URL("./constants/endpoints.js", import.meta.resolve("sdk-node-apis-efi"));
    const { endpoints } = (await import(constants.href)) as {
      endpoints: { APIS: { PIX: { URL: { SANDBOX: string } } } };
    };
    endpoints.APIS.PIX.URL.SANDBOX = new URL(made.bank.tokenUrl).origin;
    const { cert, key } = files.paths;
    const { id, secret } = CLIENT;
    efi = new EfiPay({ sandbox: true, client_id: id, client_secret: secret, certificate: cert, pemKey: key });
  });
  afterAll(async () => {
    setDefaultCACertificates(trusted);
    await files.remove();
  });

  test("creates a charge at the bank, reads it paid, and gives a part back", async () => {
    const txid = newReference();
    const charge = await efi.pixCreateCharge(
      { txid },
      { calendario: { expiracao: 3600 }, valor: { original: "10.00" }, chave: KEY },
    );
    expect(locationReadElsewhere(charge.pixCopiaECola)).toBe(charge.location);
    const { endToEndId: e2eId } = made.bank.pay(txid, 1000n);
    expect(await efi.pixDetailCharge({ txid })).toMatchObject({
      status: "CONCLUIDA",
      pix: [{ endToEndId: e2eId, valor: "10.00" }],
    });
    const id = "foreign1";
    expect(await efi.pixDevolution({ e2eId, id }, { valor: "2.50" })).toMatchObject({
      status: "EM_PROCESSAMENTO",
      valor: "2.50",
    });
    expect(await efi.pixDetailDevolution({ e2eId, id })).toMatchObject({ status: "DEVOLVIDO" });
    // Our adapter sees what it did.
    const { returns } = await connected(made, accountAt(made)).provider.find(txid);
    expect(returns).toMatchObject([{ id, amountMinor: 250n, status: "succeeded" }]);
  });
});
