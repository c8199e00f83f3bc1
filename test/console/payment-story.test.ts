import { describe, expect, test } from "vitest";
import { RefundScene } from "../refunds/scene.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { textOf } from "../support/page-text.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await createMerchant(service);
const scene = new RefundScene(service, merchant, rows);
const finance = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "finance"));

const pageOf = async (id: string, language = "pt-BR") =>
  (await finance.get(`/console/test/payments/${id}?lang=${language}`)).body;
/** The steps of the payment, in the order of the page. */
const stepsOf = (body: string): string[] => {
  const [, list = ""] = body.split('<ol class="timeline">');
  return (list.split("</ol>")[0] ?? "").split("</li>").map((step) => textOf(step).trim());
};

describe("a payment's page", () => {
  test("is named by its product, and ends the bridge with what stayed, from the ledger", async () => {
    const id = await scene.paidByPix({ description: "Tênis de corrida", amount: 24_990 });
    expect(textOf(await pageOf(id))).toMatch(/Ficou para você: R\$ 247,\d\d/);
    await scene.refund(id);
    const body = await pageOf(id);
    expect(body).toContain("<h1>Tênis de corrida</h1>");
    const { kept, refundLines, lines } = await merchant.ledger.getPaymentBridge(
      { paymentId: id },
      merchant.as,
    );
    const [net, borne] = [lines.at(-1)?.amount ?? 0n, refundLines.at(-1)?.amount ?? 0n];
    expect(kept?.amount).toBe(net - borne);
    const { balances } = await merchant.ledger.getBalance({}, merchant.as);
    const { pending = 0n, available = 0n } = balances[0] ?? {};
    expect(kept?.amount).toBe(pending + available);
    const cents = String(-(kept?.amount ?? 0n)).padStart(3, "0");
    expect(textOf(body)).toContain(`Ficou para você: −R$ ${cents.slice(0, -2)},${cents.slice(-2)}`);
    expect(textOf(await pageOf(id, "en"))).toContain(
      `Stayed with you: −R$${cents.slice(0, -2)}.${cents.slice(-2)}`,
    );
  });

  test("tells what happened, in order: opened, paid, refunded, returned, and what is to come", async () => {
    const id = await scene.paidByPix({ amount: 10_000 });
    service.clock.advance(60);
    await scene.refund(id, { amount: 1000 });
    service.clock.advance(60);
    await scene.returnedByProvider(id, 500n);
    await scene.refresh(id);
    const steps = stepsOf(await pageOf(id));
    const words = ["Página aberta", "Pagamento iniciado", "Pago R$ 100,00", "Devolução R$ 10,00"];
    for (const [index, word] of [...words, "Devolvido pelo provedor R$ 5,00"].entries()) {
      expect(steps[index]).toContain(word);
    }
    expect(steps[5]).toMatch(/Liquidação prevista R\$ 98,61$/);
    await rows.run("UPDATE test.settlement SET succeeded_on = succeeded_on - 30 WHERE payment_id = $1", [id]);
    await service.core.tasks.settle();
    expect(stepsOf(await pageOf(id, "en")).join("\n")).toMatch(/Settled: counts as available R\$98\.61/);
  });

  test("tells of money that came twice or late, and of no settlement after a full refund", async () => {
    const id = await scene.paidByPix({ amount: 11_000 });
    await scene.again(id, 11_000n);
    expect(stepsOf(await pageOf(id)).join("\n")).toContain("Recebido outra vez R$ 110,00");
    expect(stepsOf(await pageOf(id)).join("\n")).toContain("Liquidação prevista");
    await scene.refund(id);
    expect(await pageOf(id)).not.toMatch(/Liquidação prevista|Previsão de liquidação/);
    const { paymentId } = await scene.lateMoney();
    const late = stepsOf(await pageOf(paymentId)).join("\n");
    expect(late).toContain("Dinheiro que chegou depois R$ 159,90");
  });

  test("has the end-to-end id and when it was paid beside the settlement day", async () => {
    const id = await scene.paidByPix();
    const { end_to_end_id: endToEndId } = await scene.paymentOf(id);
    const body = await pageOf(id);
    expect(body).toContain(`value="${endToEndId}"`);
    // As the bank's id, it is found on any day.
    const { payments } = await merchant.ledger.searchPayments({ filter: { query: endToEndId } }, merchant.as);
    expect(payments.map((payment) => payment.id)).toEqual([id]);
    const other = `/console/test/payments?q=${endToEndId}&from=2020-01-01&to=2020-01-01`;
    expect((await finance.get(other)).body).toContain(`/payments/${id}`);
    expect(textOf(body)).toMatch(/Pago em \d\d\/\d\d às .* Previsão de liquidação/);
  });

  test("says why it failed in words, with the API's code", async () => {
    const { id } = (await merchant.pay({}, { outcome: "failed", payment_method: "pix" })).body;
    expect(textOf(await pageOf(id))).toContain("O banco recusou o Pix. pix_rejected");
    expect(textOf(await pageOf(id, "en"))).toContain("The bank rejected the Pix. pix_rejected");
  });

  test.each(["failed", "expired"])("shows no net and no bridge of a payment that %s", async (outcome) => {
    const { id, net_amount: net } = (await merchant.pay({}, { outcome })).body;
    const text = textOf(await pageOf(id, "en"));
    expect(text).not.toContain("From gross to net");
    expect(text).not.toContain((net / 100).toFixed(2));
    expect(stepsOf(await pageOf(id, "en"))[1]).toContain(
      outcome === "failed" ? "Declined" : "Expired unpaid",
    );
  });
});
