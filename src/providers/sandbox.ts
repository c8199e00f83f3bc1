import { insert, update } from "../platform/change.ts";
import { wholeSecond, type Clock } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";
import type { Call } from "../platform/call.ts";
import { writeBrCode } from "./br-code.ts";
import { SandboxCharge, type SandboxChargeRow } from "./entities.ts";
import type {
  BankAccount,
  CardProvider,
  CardRequest,
  CardState,
  ChargeRequest,
  PixProvider,
  PixState,
  Providers,
  ProviderReceipt,
  SimulatedAction,
  Simulator,
} from "./ports.ts";

const CITY = "SAO PAULO";
const LOCATION = "sandbox.paylink.invalid/pix/";
const MAX_INSTALLMENTS = 21;
const CHALLENGE_TOKEN = "tok_challenge";

/** The result of each test token: an issuer's response code, or null for approval. Unknown tokens get 14. */
const TOKEN_REASONS: Readonly<Record<string, string | null>> = {
  tok_approved: null,
  tok_insufficient_funds: "51",
  tok_card_declined: "05",
  tok_expired_card: "54",
  tok_invalid_card: "14",
  tok_card_not_supported: "57",
  tok_authentication_failed: "3ds_n",
  tok_payment_declined: "96",
};

const BANK_ACCOUNT: BankAccount = {
  bank: "Banco Sandbox (999)",
  branch: "0001",
  account: "123456-7",
  holder: "Paylink Sandbox Ltda.",
  document: "00.000.000/0001-91",
};

/**
 * Simulates all providers for test mode. It stores its charges in the test schema, and makes no network connections.
 */
class Sandbox implements PixProvider, Simulator {
  readonly #environment: Environment;
  readonly #clock: Clock;
  readonly card: CardProvider;

  constructor(environment: Environment, clock: Clock) {
    this.#environment = environment;
    this.#clock = clock;
    this.card = {
      maxInstallments: MAX_INSTALLMENTS,
      authorize: async (request) => await this.#authorize(request),
      find: async (tenantId, reference) => await this.#cardState(tenantId, reference),
    };
  }

  async createCharge(request: ChargeRequest): Promise<{ code: string }> {
    await this.#keep({ ...this.#fresh(request), status: "waiting" }, request);
    const { reference, amountMinor, merchantName } = request;
    const location = `${LOCATION}${reference}`;
    return { code: writeBrCode({ location, amountMinor, merchantName, merchantCity: CITY }) };
  }

  async find(tenantId: string, reference: string): Promise<PixState> {
    const charge = await this.#charge(tenantId, reference);
    if (charge?.status === "paid") return { status: "paid", receipt: receiptOf(charge) };
    if (charge?.status === "refused") return { status: "rejected", reason: charge.reason ?? "" };
    return { status: "waiting" };
  }

  async act(
    { tenantId, audit }: Pick<Call, "tenantId" | "audit">,
    reference: string,
    action: SimulatedAction,
  ): Promise<void> {
    const charge = await this.#charge(tenantId, reference);
    if (charge?.status !== "waiting" && charge?.status !== "challenge") return;
    const { status } = charge;
    const reason = status === "challenge" ? "3ds_n" : "AB03";
    const set =
      action === "approve"
        ? ({ status: "paid", paidAt: wholeSecond(this.#clock) } as const)
        : ({ status: "refused", reason } as const);
    // Another call may have been first. Its result stays.
    await this.#environment.committer.commit(
      [update(SandboxCharge, { tenantId, reference, status }, set)],
      audit?.entry({ objectId: "" }),
    );
  }

  async #authorize(request: CardRequest): Promise<CardState> {
    const { tenantId, reference, token, returnUrl } = request;
    await this.#keep({ ...this.#fresh(request), ...this.#answerTo(token, returnUrl) }, request);
    return await this.#cardState(tenantId, reference);
  }

  #answerTo(
    token: string,
    returnUrl: string,
  ): Pick<SandboxChargeRow, "status" | "reason" | "challengeUrl" | "paidAt"> {
    const none = { reason: null, challengeUrl: null, paidAt: null };
    if (token === CHALLENGE_TOKEN)
      return { ...none, status: "challenge", challengeUrl: `${returnUrl}/challenge` };
    const reason = Object.hasOwn(TOKEN_REASONS, token) ? (TOKEN_REASONS[token] ?? null) : "14";
    if (reason === null) return { ...none, status: "paid", paidAt: wholeSecond(this.#clock) };
    return { ...none, status: "refused", reason };
  }

  async #cardState(tenantId: string, reference: string): Promise<CardState> {
    const charge = await this.#charge(tenantId, reference);
    if (!charge) return { status: "unknown" };
    if (charge.status === "challenge") return { status: "challenge", url: charge.challengeUrl ?? "" };
    if (charge.status === "paid") return { status: "approved", receipt: receiptOf(charge) };
    return { status: "declined", reason: charge.reason ?? "" };
  }

  #fresh({ tenantId, reference, amountMinor }: ChargeRequest): Omit<SandboxChargeRow, "status"> {
    const createdAt = wholeSecond(this.#clock);
    return { tenantId, reference, amountMinor, reason: null, challengeUrl: null, paidAt: null, createdAt };
  }

  /** Keeps the first of two charges with one reference. */
  async #keep(charge: SandboxChargeRow, { audit }: ChargeRequest): Promise<void> {
    if (await this.#charge(charge.tenantId, charge.reference)) return;
    await this.#environment.committer.commit([insert(SandboxCharge, charge)], audit?.entry({ objectId: "" }));
  }

  async #charge(tenantId: string, reference: string): Promise<SandboxChargeRow | null> {
    return await this.#environment.orm.em.fork().findOne(SandboxCharge, { tenantId, reference });
  }
}

function receiptOf({ reference, amountMinor, paidAt, createdAt }: SandboxChargeRow): ProviderReceipt {
  return { providerPaymentId: `sandbox-${reference}`, amountMinor, paidAt: paidAt ?? createdAt };
}

/** Returns all providers of test mode. */
export function sandboxProviders(environment: Environment, clock: Clock): Providers {
  const sandbox = new Sandbox(environment, clock);
  return { pix: sandbox, card: sandbox.card, bankAccount: BANK_ACCOUNT, simulator: sandbox };
}
