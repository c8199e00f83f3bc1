import { defined } from "../../contract/defined.ts";
import type { AccountStatement } from "../providers/account-statement.ts";
import { checkedCode } from "../providers/pix-code.ts";
import type { CardProvider } from "../providers/card-port.ts";
import type { PixProvider, ReturnList, Statement } from "../providers/ports.ts";
import { ProviderFault, type FaultKind } from "../providers/provider-fault.ts";

/** Each kind of a failure as it is counted. "wrong": an answer that contradicts what was asked, or cannot be read. */
export const WATCHED_FAULTS = ["refused", "unknown", "misconfigured", "busy", "wrong"] as const satisfies (
  | FaultKind
  | "wrong"
)[];
export type WatchedFault = (typeof WATCHED_FAULTS)[number];

// Codes of answers that are not as the standard has them. Like a contradiction they need a person, not another try.
const WRONG_CODES = new Set(["unreadable", "shifting_pages", "statement_too_large", "answer_too_large"]);

type OnFault = (kind: WatchedFault) => void;

/** Returns what reports a failure and passes it on. */
function notedBy(onFault: OnFault): (error: unknown) => unknown {
  return (error) => {
    if (error instanceof ProviderFault) {
      onFault(isWrong(error.code) ? "wrong" : error.kind);
    }
    return error;
  };
}

/** Returns what asks once, and reports its failure. */
function onceBy(onFault: OnFault): <Answer>(ask: () => Promise<Answer>) => Promise<Answer> {
  const noted = notedBy(onFault);
  return async (ask) => {
    try {
      return await ask();
    } catch (error) {
      throw noted(error);
    }
  };
}

/** Returns the provider of cards, which reports each of its failures. */
export function watchedCards(provider: CardProvider, onFault: OnFault): CardProvider {
  const once = onceBy(onFault);
  const settlementFacts = provider.settlementFacts?.bind(provider);
  const cardOf = provider.cardOf?.bind(provider);
  const discard = provider.discard?.bind(provider);
  return {
    accountId: provider.accountId,
    terms: provider.terms,
    ...(provider.isRefundIdempotent ? { isRefundIdempotent: true } : {}),
    ...(cardOf && { cardOf: async (token) => await once(async () => await cardOf(token)) }),
    authorize: async (request) => await once(async () => await provider.authorize(request)),
    find: async (...asked) => await once(async () => await provider.find(...asked)),
    cancel: async (name) => await once(async () => await provider.cancel(name)),
    ...(discard && { discard: async (chargeId) => await once(async () => await discard(chargeId)) }),
    refund: async (request) => await once(async () => await provider.refund(request)),
    findRefund: async (...asked) => await once(async () => await provider.findRefund(...asked)),
    readCallback: (body) => provider.readCallback(body),
    ...(settlementFacts && {
      settlementFacts: async (...asked) => await once(async () => await settlementFacts(...asked)),
    }),
  };
}

/** Returns what yields items and reports the failure of it. */
function eachBy(onFault: OnFault): <Item>(items: AsyncIterable<Item>) => AsyncGenerator<Item> {
  const noted = notedBy(onFault);
  return async function* each(items) {
    try {
      yield* items;
    } catch (error) {
      throw noted(error);
    }
  };
}

/** Returns the list, which reports each of its failures. */
export function watchedReturns(list: ReturnList, onFault: OnFault): ReturnList {
  const each = eachBy(onFault);
  return {
    movedBack: (...asked) => each(list.movedBack(...asked)),
    cameIn: (...asked) => each(list.cameIn(...asked)),
  };
}

/** Returns the statement, which reports each of its failures. */
export function watchedStatement(statement: Statement, onFault: OnFault): Statement {
  const each = eachBy(onFault);
  return {
    received: (...asked) => each(statement.received(...asked)),
    returned: (...asked) => each(statement.returned(...asked)),
  };
}

/** Returns the account's statement, which reports each of its failures. */
export function watchedAccountStatement(statement: AccountStatement, onFault: OnFault): AccountStatement {
  const each = eachBy(onFault);
  const once = onceBy(onFault);
  return {
    hasBalance: statement.hasBalance,
    hasToday: statement.hasToday,
    lines: (...asked) => each(statement.lines(...asked)),
    balance: async (...asked) => await once(async () => await statement.balance(...asked)),
  };
}

/** Returns the provider, which reports each of its failures. A code that no payer may see is one. */
export function watchedProvider(provider: PixProvider, onFault: OnFault): PixProvider {
  const once = onceBy(onFault);
  const { payerFields, optionalPayerFields, leastMinor } = provider;
  return {
    accountId: provider.accountId,
    ...(provider.isRefundIdempotent ? { isRefundIdempotent: true } : {}),
    ...(payerFields ? { payerFields } : {}),
    ...defined({ optionalPayerFields, leastMinor }),
    ...(provider.outlivesSession ? { outlivesSession: true } : {}),
    createCharge: async (request) =>
      await once(async () => {
        const made = await provider.createCharge(request);
        checkedCode(made, request);
        return made;
      }),
    find: async (...asked) => await once(async () => await provider.find(...asked)),
    cancel: async (...named) => await once(async () => await provider.cancel(...named)),
    refund: async (request) => await once(async () => await provider.refund(request)),
    findRefund: async (...asked) => await once(async () => await provider.findRefund(...asked)),
    ...watchedStatement(provider, onFault),
    readCallback: (body) => provider.readCallback(body),
  };
}

export function isWrong(code: string | null): boolean {
  return code !== null && (code.startsWith("wrong_") || WRONG_CODES.has(code));
}
