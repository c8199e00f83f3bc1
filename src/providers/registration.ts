import type { PutProviderAccountRequest } from "../../gen/paylink/providers/v1/providers_pb.ts";
import type { AddressPolicy } from "../platform/outside/outside-address.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { AccountStatement } from "./account-statement.ts";
import type { AddressGuard, CallLimits, DocumentedQuota } from "./connection.ts";
import type { CardProvider } from "./card-port.ts";
import type { PixProvider, ReturnList, Statement } from "./ports.ts";
import type { Meanings } from "./decline.ts";
import type { Given, GivenSettings, Setting } from "./settings.ts";
import type { OwnSecrets, ReadConfig, StoredConfig } from "./stored-config.ts";

/** The messages of providers that a request may have in place of settings. */
export type GivenMessages = Pick<PutProviderAccountRequest, "config" | "asaas" | "pagarme">;

/** An account, as its provider's client is made of it. */
export interface ConnectedAccount {
  readonly id: string;
  readonly profile: string;
  readonly kind: ProviderKind;
  readonly certificateNotAfter?: Date | null | undefined;
}

export type ProviderKind = "pix" | "card";

/**
 * What an account's statements are of. "pix", "card": its money, with what went back of each since. "card_returns": what
 * went back, by the time at which it did.
 */
export type StatementKind = "pix" | "card" | "card_returns";

export interface ConnectDeps {
  readonly clock: Clock;
  readonly guard: AddressGuard;
  readonly limits: CallLimits;
  /** Is called with the number of rows of an answer that cannot be read. */
  readonly onSetAside: (count: number) => void;
  /** Is called with how many seconds the times of a provider's charges are ahead of its clock, if that matters. */
  readonly onClockGap: (seconds: number) => void;
}

/** What a provider says of an account. `problem`: why it is not accepted. */
export interface Verified {
  readonly isAccepted: boolean;
  readonly problem?: string;
  readonly missingScopes?: string[];
  readonly isCallbackRegistered: boolean;
  readonly clockSkewSeconds?: bigint;
  /** The time of a new charge minus the provider's own clock. Absent: it is small, or not known. */
  readonly chargeClockGapSeconds?: bigint;
  /** Another system's address, at which the provider calls back. Absent: none that it tells. */
  readonly otherCallbackUrl?: string;
  /** True: the provider named the account's PIX key. Absent: it did not say. */
  readonly isKeyConfirmed?: boolean;
  /** Undefined: the provider does not stop to call back. */
  readonly isInterrupted?: boolean;
}

interface Common {
  /** What the provider states of the account's money by days. Undefined: nothing that is read. */
  readonly accountStatement?: AccountStatement;
  /** Ends when its requests have ended. */
  close(): Promise<void>;
  /**
   * `isRegistered`: sets the address of callbacks first, if the provider has a call for that. `isReplaced`: also in place of
   * another system's address. Throws ProviderFault.
   */
  verify(callbackUrl: string, isRegistered: boolean, isReplaced: boolean): Promise<Verified>;
  /** Returns true if the provider has stopped to call back at the address. Undefined: it never stops. Throws ProviderFault. */
  readonly isInterrupted?: (callbackUrl: string) => Promise<boolean>;
  /** Returns true for the provider's signature of a callback's body. Undefined: it signs none. Throws ProviderFault. */
  readonly isSigned?: (signature: string, body: Uint8Array) => Promise<boolean>;
}

/** The connection of one account with one revision of its credentials. A provider of PIX has its own statement. */
export type Connection = Common &
  (
    | { readonly kind: "pix"; readonly provider: PixProvider }
    | {
        readonly kind: "card";
        readonly provider: CardProvider;
        /** Undefined: the provider has none that is read. */
        readonly statement?: Statement;
        /** Undefined: its statement has the returns. */
        readonly returnList?: ReturnList;
      }
  );

/** Everything that the service knows of one provider. */
export interface Registration {
  /** The name of its folder, and the `source` of declines with its own codes. */
  readonly name: string;
  /** The names that an account may have for it: one, or one for each bank. They are stored. */
  readonly profiles: readonly string[];
  /** The kinds of accounts that it has. */
  readonly kinds: readonly ProviderKind[];
  /** True: it stops to call back after failures, and is asked whether it does. */
  readonly hasQueue: boolean;
  /** The header of its callbacks with a secret or a signature, in lower case. Absent: it has none. */
  readonly callbackHeader?: string;
  /** The codes of its own by which it declines. Absent: it has those of ABECS or of ISO 20022 alone. */
  readonly declineCodes?: Meanings;
  /** How many calls a minute it documents for an account of a profile. Absent, undefined: it documents none. */
  readonly quotaOf?: (profile: string) => DocumentedQuota | undefined;
  readonly statementOf: (kind: ProviderKind) => StatementKind;
  /** What an account of a profile is made of, in the order of a form. */
  readonly settingsOf: (profile: string) => readonly Setting[];
  /** Returns the settings in the provider's own message; undefined: the request has none. Absent: it has no message. */
  readonly ofMessage?: (profile: string, messages: GivenMessages) => Given | undefined;
  /** Checks a request's settings; `former`: those that a rotation replaces. Error: invalid_request on each that is missing or wrong. */
  readonly readConfig: (
    profile: string,
    given: GivenSettings,
    policy: AddressPolicy,
    own: OwnSecrets,
    former?: StoredConfig,
  ) => Promise<ReadConfig>;
  /** Error: invalid_request if a rotation changes what open charges depend on. */
  readonly requireSame?: (former: StoredConfig, given: GivenSettings) => void;
  /** Makes an account's client. `config` is one that `readConfig` of this provider returned. */
  readonly connect: (account: ConnectedAccount, config: StoredConfig, deps: ConnectDeps) => Connection;
}
