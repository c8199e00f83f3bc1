import { beforeEach, expect, test } from "vitest";
import { ProviderKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { CLIENT, KEY } from "../api-pix/connected.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { advance, startLive } from "./live-merchant.ts";

const live = await forFile(startLive());
const rows = await forFile(new DatabaseRows(live.service.databaseUrl).open());
const { bank, authority, identity, service, providers } = live;

beforeEach(() => {
  bank.timeForm = "local_zulu";
});

const settings = {
  client_id: CLIENT.id,
  client_secret: CLIENT.secret,
  pix_key: KEY,
  certificate: identity.cert,
  private_key: identity.key,
  ca: authority.cert,
  base_url: bank.baseUrl,
  token_url: bank.tokenUrl,
  "callback.proof": "hmac",
};

async function connect(clockOffset: string) {
  const merchant = await createMerchant(service, {}, "live");
  const request = { kind: ProviderKind.PIX, profile: "bacen" };
  const given = { ...settings, clock_offset: clockOffset };
  const { account } = await providers.putProviderAccount({ ...request, settings: given }, merchant.as);
  const id = account?.id ?? "";
  return {
    ...merchant,
    id,
    verify: async (isRegistered: boolean) =>
      await providers.verifyProviderAccount({ id, isRegistered, isReplaced: true }, merchant.as),
  };
}

test("input 16: verify tells a bank's offset as it registers, by a charge that it takes back, and none once the account has it", async () => {
  const before = bank.account().charges.size;
  const wrong = await connect("");
  expect(await wrong.verify(false)).not.toHaveProperty("chargeClockGapSeconds", expect.anything());
  expect(bank.account().charges.size).toBe(before);
  expect(await wrong.verify(true)).toMatchObject({ isAccepted: true, chargeClockGapSeconds: -10_800n });
  const made = [...bank.account().charges.values()].slice(before);
  expect(made).toMatchObject([
    {
      status: "REMOVIDA_PELO_USUARIO_RECEBEDOR",
      revisions: [{ terms: { amountMinor: 1n, seconds: 60 } }, {}],
    },
  ]);
  const right = await connect("-03:00");
  const answer = await right.verify(true);
  expect([answer.isAccepted, answer.chargeClockGapSeconds]).toEqual([true, undefined]);
  service.faults.length = 0;
});

test("verify tells no offset where the bank refuses the charge", async () => {
  const { verify } = await connect("");
  bank.fail("createCharge", { kind: "status", status: 500 });
  const answer = await verify(true);
  expect([answer.isAccepted, answer.chargeClockGapSeconds]).toEqual([true, undefined]);
});

test("money after the end of its charge is late by the account's offset, and is told of at the first charge without it", async () => {
  const lateCounts = [];
  for (const offset of ["", "-03:00"]) {
    const merchant = await connect(offset);
    service.faults.length = 0;
    const payer = new Payer(service, await merchant.newLink({ payment_methods: ["pix"] }));
    await payer.open();
    const { paymentId } = await payer.start();
    const told = { account_id: merchant.id, seconds: -10_800 };
    expect(service.faults).toEqual(offset === "" ? [expect.objectContaining(told)] : []);
    advance(live, 1000);
    bank.pay(paymentId.replace("_", ""), 15_990n);
    advance(live, 86_400);
    await service.core.tasks.checkCharges();
    await service.core.tasks.sweepProviders();
    const [row] = await rows.read(
      "SELECT count(*)::int AS count FROM live.payment_exception WHERE payment_id = $1",
      [paymentId],
    );
    lateCounts.push(row?.["count"]);
  }
  expect(lateCounts).toEqual([0, 1]);
  service.faults.length = 0;
});

test.each(["-3", "03:00", "-15:00", "-03:60", "Z"])("the offset %s is refused", async (offset) => {
  await expect(connect(offset)).rejects.toThrow('clock_offset must be such as "-03:00"');
});
