import { expect, test } from "vitest";
import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { newId } from "../../contract/ids.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";
import { forFile } from "../support/for-file.ts";

const service = await forFile(startService());

test("the sessions of a link are newest first, with their payment options, their payments and whether they are open", async () => {
  const { newLink, as } = await createMerchant(service);
  const linkId = await newLink({ campaign: true, max_installments: 3 });
  const [first, second] = [new Payer(service, linkId), new Payer(service, linkId)];
  await first.open();
  const declined = await first.start();
  await first.simulate(SandboxAction.DECLINE);
  const taken = await first.start();
  await first.simulate(SandboxAction.APPROVE);
  service.clock.advance(900);
  await second.open();
  const waiting = await second.start();
  await new Payer(service, await newLink()).open();
  const { data, hasMore } = await first.client.listCheckoutSessions({ linkId }, as);
  expect(hasMore).toBe(false);
  expect(data).toMatchObject([
    {
      id: second.sessionId,
      isOpen: true,
      optionCount: 4,
      payments: [{ id: waiting.paymentId, status: PaymentStatus.PENDING }],
    },
    {
      id: first.sessionId,
      isOpen: false,
      optionCount: 4,
      payments: [
        { id: taken.paymentId, status: PaymentStatus.SUCCEEDED },
        { id: declined.paymentId, status: PaymentStatus.FAILED },
      ],
    },
  ]);
  for (const { openedAt, expiresAt } of data)
    expect(Number(expiresAt?.seconds) - Number(openedAt?.seconds)).toBe(900);
});

test("pages of them leave nothing out; a closed link has no open one", async () => {
  const { newLink, as, links } = await createMerchant(service);
  const linkId = await newLink();
  const payers = Array.from({ length: 5 }, () => new Payer(service, linkId));
  for (const payer of payers) await payer.open();
  const [{ client } = new Payer(service, linkId)] = payers;
  await links.cancelPaymentLink({ id: linkId }, as);
  const read: string[] = [];
  let cursor: { startingAfter?: string } | undefined = {};
  while (cursor) {
    const { data, nextCursor } = await client.listCheckoutSessions({ linkId, limit: 2, ...cursor }, as);
    read.push(...data.map(({ id }) => id));
    expect(data.some(({ isOpen }) => isOpen)).toBe(false);
    cursor = nextCursor === undefined ? undefined : { startingAfter: nextCursor };
  }
  expect(read).toEqual(payers.map(({ sessionId }) => sessionId).toReversed());
});

test("no session is listed for another tenant, in another mode, or after a cursor of another link", async () => {
  const [{ newLink, as }, other] = [await createMerchant(service), await createMerchant(service)];
  const linkId = await newLink();
  const payer = new Payer(service, linkId);
  const elsewhere = new Payer(service, await newLink());
  await payer.open();
  await elsewhere.open();
  const live = { headers: { ...as.headers, "paylink-mode": "live" } };
  const notFound = { status: "NotFound", code: "payment_link_not_found", param: undefined };
  for (const options of [other.as, live])
    expect(await refusalOf(payer.client.listCheckoutSessions({ linkId }, options))).toMatchObject(notFound);
  for (const unknown of [newId("pl"), "nonsense", ""])
    expect(await refusalOf(payer.client.listCheckoutSessions({ linkId: unknown }, as))).toMatchObject(
      notFound,
    );
  for (const startingAfter of [elsewhere.sessionId, newId("cs"), "nonsense"]) {
    const refused = { status: "InvalidArgument", code: "invalid_request", param: "starting_after" };
    expect(await refusalOf(payer.client.listCheckoutSessions({ linkId, startingAfter }, as))).toMatchObject(
      refused,
    );
  }
});
