import { describe, expect, test } from "vitest";
import { LANGUAGES } from "../../gateway/pages/language.ts";
import { insertPayments, randomPayments, type BulkPayment } from "../support/bulk-payments.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { textOf } from "../support/page-text.ts";
import { startService } from "../support/service.ts";

const DAY = "2026-03-02";
const [START, END] = [new Date("2026-03-02T03:00:00Z"), new Date("2026-03-03T03:00:00Z")];

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await createMerchant(service);
const finance = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "finance"));

const all = randomPayments(200, START, END);
const inReais = ({ input }: BulkPayment) => input.currency === "BRL" && input.payoutCurrency === "BRL";
const [refunded, waiting, named, late] = [
  all.find((payment) => payment.status === "succeeded" && inReais(payment)),
  all.find((payment) => payment.status === "pending" && inReais(payment)),
  all.findLast(({ status }) => status === "failed"),
  all.findLast((payment) => payment.status === "succeeded" && inReais(payment)),
];
if (!refunded || !waiting || !named || !late) throw new Error("no such payment");
const price = { ...refunded.price, payerTotalMinor: 50_000n };
await insertPayments(rows, merchant.tenant.id, [
  { ...refunded, price, reference: "order-1" },
  waiting,
  named,
]);
await merchant.ledger.sealDay({ day: DAY }, merchant.as);
await insertPayments(rows, merchant.tenant.id, [late]);
const update = async (id: string, assignments: string) =>
  await rows.run(
    `UPDATE test.payment SET ${assignments}, updated_at = '2026-11-20T12:00:00Z' WHERE tenant_id = $1 AND id = $2`,
    [merchant.tenant.id, id],
  );
await update(refunded.id, "refunded_minor = 24990, refund_reserved_minor = 24990");
await update(waiting.id, "status = 'succeeded'");
await update(named.id, "reference = 'order-2'");

const WORDS = {
  "pt-BR": {
    refund: "Devolvido: — → R$ 249,90",
    state: "Situação: Pago → Devolvido em parte",
    refundAdvice: "a devolução conta no dia em que o dinheiro volta",
    paid: "Situação: Pendente → Pago",
    paidAdvice: "não está entre os pagos deste dia",
    reference: "→ order-2",
    noAdvice: "Nada a fazer: o dinheiro deste dia continua o mesmo.",
    lateAdvice: "Não está nos totais deste dia: lance-o à parte.",
    final: "O fechamento não pode ser desfeito",
    question: /data-confirm="Fechar [^"]+ Isto não pode ser desfeito/,
  },
  en: {
    refund: "Refunded: — → R$249.90",
    state: "Status: Paid → Partially refunded",
    refundAdvice: "a refund counts on the day on which its money goes back",
    paid: "Status: Pending → Paid",
    paidAdvice: "is not among this day's paid ones",
    reference: "→ order-2",
    noAdvice: "Nothing to do: this day's money is the same.",
    lateAdvice: "It is not in this day's totals: book it apart.",
    final: "A close cannot be undone",
    question: /data-confirm="Close [^"]+ This cannot be undone/,
  },
} as const;

describe.each(LANGUAGES)("in %s", (language) => {
  const { final, question, ...words } = WORDS[language];

  test("a seal's differences say what changed, by how much and what to do; the API's words are folded", async () => {
    const { body } = await finance.get(`/console/test/close/${DAY}/verification?lang=${language}`);
    const unfolded = textOf(body.replaceAll(/<details>[^]*?<\/details>/g, ""));
    for (const text of Object.values(words)) expect(unfolded).toContain(text);
    expect(unfolded).not.toMatch(/refunded_amount|updated_at|SHA-256|gross_currency|[\da-f]{64}/);
    expect(body).toMatch(/<details>[^]*<code>refunded_amount<\/code>[^]*<\/details>/);
    expect(body).toMatch(/<details>[^]*id="seal-hash"[^]*<\/details>/);
  });

  test("who closes a day reads that it cannot be undone, in the question and without a script", async () => {
    const { body } = await finance.get(`/console/test/close/2026-03-03?lang=${language}`);
    expect(textOf(body)).toContain(final);
    expect(body).toMatch(question);
    expect((await finance.get(`/console/test/close?month=2026-03&lang=${language}`)).body).toMatch(question);
  });
});
