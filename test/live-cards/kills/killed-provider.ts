import type { ProvidersService } from "../../../gen/paylink/providers/v1/providers_pb.ts";
import type { Client } from "@connectrpc/connect";
import type { Proof } from "../../live-pix/doomed.ts";
import type { ReceivedRequest } from "../../support/provider/answering.ts";
import type { Merchant } from "../../support/merchant.ts";
import type { Payer } from "../../support/payer.ts";
import type { TestService } from "../../support/service.ts";

type StartRequest = NonNullable<Parameters<Payer["start"]>[0]>;

/** A merchant of one step: all that its account has at the provider is of that step. */
export interface KilledMerchant extends Merchant {
  readonly accountId: string;
  /** The path of its callbacks. */
  readonly path: string;
  /** The key of its account. */
  readonly key: string;
}

/** Charges that were paid at the provider, charges that can still be paid there, and refunds that left. */
export interface AtProvider {
  readonly paid: number;
  readonly open: number;
  readonly returned: number;
}

/** A simulated provider, and what payers, issuers and the provider do there. */
export interface KilledProvider {
  readonly service: TestService;
  readonly providers: Client<typeof ProvidersService>;
  readonly requests: readonly ReceivedRequest<string>[];
  readonly link: object;
  /** The call that gives money back, if it is asked once and never again, as the provider has no key for it. */
  readonly refundCall: string;
  connect(): Promise<KilledMerchant>;
  /** What a payer asks for, by a card of their own if its token is given here. `isWaiting`: it is not decided at once. */
  request(of: KilledMerchant, isWaiting?: boolean): Promise<StartRequest>;
  /** The next call of a name fails, but for so many before it. */
  fail(call: string, kind: "hang" | "silent", earlier: number): void;
  /** The payer pays by the address or code that they were given, or the issuer approves. What is decided stays. */
  pays(of: KilledMerchant, shown: string | undefined): void;
  /** What of a charge's row makes its payment end now: its payer's time is over, or its review took too long. */
  readonly ending: string;
  readonly endedAs: "failed" | "expired";
  callback(of: KilledMerchant, reference: string): readonly [told: string, proof: Proof];
  /** Carries out the refunds that it has taken. */
  endRefunds(of: KilledMerchant): void;
  at(of: KilledMerchant): AtProvider;
  advance(seconds: number): void;
  close(): Promise<void>;
}
