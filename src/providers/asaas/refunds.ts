import type { ProviderReturn, Refunding, RefundRequest } from "../ports.ts";
import { ProviderFault } from "../provider-fault.ts";
import { refundIdOf, returnOf } from "./charge.ts";
import { shortened } from "./charges.ts";
import type { AsaasClient } from "./client.ts";
import { reais, rowsOf, type Fields } from "./json.ts";
import { pathsOf, readRefund } from "./messages.ts";

/** Returns our code of a refusal for lack of balance: Asaas has none of its own, and says it in words alone. */
function lowBalance(text: string): string | null {
  return /\bsaldo\b/i.test(text) ? "insufficient_balance" : null;
}

/**
 * Gives the money of payments and plans back. Asaas has no idempotency key, nor an id of a refund: what may have been
 * made is found by its description, and is never asked for again.
 */
export class AsaasRefunds implements Refunding {
  readonly #client: AsaasClient;

  constructor(client: AsaasClient) {
    this.#client = client;
  }

  async refund(request: RefundRequest): Promise<ProviderReturn> {
    const { refundId, providerPaymentId, amountMinor, reason } = request;
    const description = shortened(reason === null ? refundId : `${refundId} ${reason}`);
    const body = { value: reais(amountMinor), description };
    let made: Fields | undefined;
    for (const { path } of pathsOf(providerPaymentId)) {
      made ??= await this.#client.call("POST", `${path}/refund`, { body, codeOf: lowBalance });
    }
    if (!made) throw new ProviderFault("refused", "Asaas does not know the money", { code: "not_found" });
    const found = await this.findRefund(request).catch((error: unknown) => {
      // The refund has left. Whatever keeps this look from an answer says nothing of it.
      if (error instanceof ProviderFault)
        throw new ProviderFault("unknown", error.message, { code: error.code });
      throw error;
    });
    if (!found) throw new ProviderFault("unknown", "a refund is not there yet");
    return found;
  }

  async findRefund({
    refundId,
    providerPaymentId,
  }: Pick<RefundRequest, "refundId" | "providerPaymentId">): Promise<ProviderReturn | undefined> {
    const rows = await this.#rows(providerPaymentId);
    const parts = rows
      .map((row) => readRefund(row, providerPaymentId))
      .filter((one) => refundIdOf(one) === refundId);
    if (parts.length === 0) return undefined;
    return returnOf(refundId, providerPaymentId, parts, this.#client.now());
  }

  async #rows(providerPaymentId: string): Promise<Fields[]> {
    for (const { path, isPlan } of pathsOf(providerPaymentId)) {
      if (!isPlan) {
        const rows = await this.#client.listIfThere(`${path}/refunds`, {});
        if (rows) return rows;
        continue;
      }
      const plan = await this.#client.call("GET", path);
      if (plan) return rowsOf(plan, "refunds");
    }
    return [];
  }
}
