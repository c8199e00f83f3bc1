import { hash } from "node:crypto";
import { ProviderFault } from "../provider-fault.ts";
import type { ChargeRequest } from "../ports.ts";
import type { AsaasClient } from "./client.ts";
import { idOf } from "./messages.ts";

const KEPT_MAX = 1000;

/**
 * The customers that charges are of. One who starts again in the same checkout session with the same details is the same
 * customer; another session never is, as a person who only types another one's details must get nothing of theirs.
 */
export class AsaasCustomers {
  readonly #client: AsaasClient;
  /** By session and details, as a hash; the first made first. */
  readonly #kept = new Map<string, string>();

  constructor(client: AsaasClient) {
    this.#client = client;
  }

  /**
   * Calls with the customer's id. Requests of one place, such as a session's page, share theirs. A kept one that Asaas
   * refuses is made anew, once.
   */
  async with<Made>(
    request: ChargeRequest,
    place: string,
    make: (customer: string) => Promise<Made>,
  ): Promise<Made> {
    const key = keyOf(request, place);
    const kept = this.#kept.get(key);
    if (kept === undefined) return await make(await this.#made(request, key));
    try {
      return await make(kept);
    } catch (error) {
      if (!(error instanceof ProviderFault) || error.kind !== "refused") throw error;
      this.#kept.delete(key);
      return await make(await this.#made(request, key));
    }
  }

  async #made(request: ChargeRequest, key: string): Promise<string> {
    const id = (request.isRepeated ? await this.#found(request) : undefined) ?? (await this.#new(request));
    this.#kept.set(key, id);
    const [first] = this.#kept.keys();
    if (first !== undefined && this.#kept.size > KEPT_MAX) this.#kept.delete(first);
    return id;
  }

  async #found({ reference, signal }: ChargeRequest): Promise<string | undefined> {
    const [earlier] = await this.#client.list("/customers", { externalReference: reference }, { signal });
    return earlier && idOf(earlier, "id");
  }

  /** Asaas is to send the customer nothing itself. */
  async #new({ reference, payer, signal }: ChargeRequest): Promise<string> {
    const body = {
      name: payer?.name ?? "",
      cpfCnpj: payer?.document ?? "",
      externalReference: reference,
      notificationDisabled: true,
    };
    const made = await this.#client.call("POST", "/customers", { body, signal });
    if (!made) throw new ProviderFault("unknown", "a new customer was answered with 404");
    return idOf(made, "id");
  }
}

function keyOf({ payer }: ChargeRequest, place: string): string {
  return hash("sha256", JSON.stringify([place, payer?.name, payer?.document]));
}
