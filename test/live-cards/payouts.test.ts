import { createClient } from "@connectrpc/connect";
import { expect, test, vi } from "vitest";
import { BankPath, ReconciliationService } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { ofx } from "../reconciliation/books.ts";
import { Api } from "../support/api.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { dayOf } from "../support/provider/dates.ts";
import { connectPagarme, pass, startPagarmeService } from "./pagarme-merchant.ts";

const DAY = 86_400;
const PATIENCE = { timeout: 20_000, interval: 50 };

const cards = await forFile(startPagarmeService());
const { service, pagarme } = cards;
const client = createClient(ReconciliationService, service.core.transport);

test("a merchant lists what a card provider paid out to its bank, and when the bank's file has it", async () => {
  const merchant = await connectPagarme(cards);
  const { accountId, as, api } = merchant;
  const get = async (query = "", by: Api = api) => await by.get(`/v1/payouts${query}`);
  await merchant.paid(await merchant.opened(), 2);
  expect((await get()).body).toEqual({ data: [], has_more: false, next_cursor: null });

  const payouts: object[] = [];
  for (let month = 0; month < 2; month += 1) {
    await pass(cards, 31 * DAY);
    const { id, amountMinor, on } = pagarme.settle();
    payouts.unshift({
      id: `${accountId}:${id}`,
      account_id: accountId,
      amount: Number(amountMinor),
      currency: "BRL",
      paid_on: on,
      arrived_on: null,
    });
  }
  pagarme.settle("failed");
  await pass(cards, DAY);
  await client.readStatementsNow({}, as);
  await service.core.tasks.readStatements();
  await vi.waitFor(async () => expect((await get()).body.data).toHaveLength(2), PATIENCE);
  expect((await get()).body.data).toEqual(payouts);
  const [latest, first] = payouts as [{ id: string; paid_on: string }, { amount: number; paid_on: string }];
  expect((await get("?limit=1")).body).toEqual({ data: [latest], has_more: true, next_cursor: latest.id });
  const rest = `?limit=1&starting_after=${encodeURIComponent(latest.id)}`;
  expect((await get(rest)).body).toEqual({ data: [first], has_more: false, next_cursor: null });
  const of = (day: string) => `?from=${day}&to=${day}`;
  expect((await get(of(first.paid_on))).body.data).toEqual([first]);
  expect((await get(`?from=${latest.paid_on}`)).body.data).toEqual([latest]);
  expect((await get(of(dayOf(pagarme.clock.now())))).body.data).toEqual([]);

  const account = { name: "Conta", providerAccountId: accountId, path: BankPath.TRANSFER };
  const { bankAccount } = await client.createBankAccount(account, as);
  const content = ofx([[first.paid_on, BigInt(first.amount), "PAGARME PAGAMENTOS", "1"]]);
  await client.importBankFile(
    { bankAccountId: bankAccount?.id ?? "", fileName: "conta.ofx", content: Buffer.from(content) },
    as,
  );
  await service.core.tasks.reconcile();
  expect((await get()).body.data).toEqual([latest, { ...first, arrived_on: first.paid_on }]);

  const other = await connectPagarme(cards);
  expect((await get("", other.api)).body.data).toEqual([]);
  expectError(await get(rest, other.api), { param: "starting_after" });
  for (const [query, refusal] of [
    ["from=2026-02-02&to=2026-02-01", { param: "from" }],
    ["limit=101", { param: "limit" }],
    ["starting_after=x", { param: "starting_after" }],
    ["status=paid", { code: "unknown_parameter", param: "status" }],
  ] as const) {
    expectError(await get(`?${query}`), refusal);
  }
});
