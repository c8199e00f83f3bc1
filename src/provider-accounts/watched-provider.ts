import { checkedCode } from "../providers/pix-code.ts";
import type { PixProvider } from "../providers/ports.ts";
import { ProviderFault, type FaultKind } from "../providers/provider-fault.ts";

/** The kind of a failure as it is counted. "wrong": an answer that contradicts what was asked, or cannot be read. */
export type WatchedFault = FaultKind | "wrong";

// Codes of answers that are not as the standard has them. Like a contradiction they need a person, not another try.
const WRONG_CODES = new Set(["unreadable", "shifting_pages", "statement_too_large"]);

/** Returns the provider, which reports each of its failures. A code that no payer may see is one. */
export function watchedProvider(provider: PixProvider, onFault: (kind: WatchedFault) => void): PixProvider {
  const noted = (error: unknown): unknown => {
    if (error instanceof ProviderFault) {
      onFault(isWrong(error.code) ? "wrong" : error.kind);
    }
    return error;
  };
  const once = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await ask();
    } catch (error) {
      throw noted(error);
    }
  };
  async function* each<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
    try {
      yield* items;
    } catch (error) {
      throw noted(error);
    }
  }
  return {
    accountId: provider.accountId,
    createCharge: async (request) =>
      await once(async () => {
        const made = await provider.createCharge(request);
        checkedCode(made, request);
        return made;
      }),
    find: async (...asked) => await once(async () => await provider.find(...asked)),
    cancel: async (reference) => await once(async () => await provider.cancel(reference)),
    refund: async (request) => await once(async () => await provider.refund(request)),
    findRefund: async (...asked) => await once(async () => await provider.findRefund(...asked)),
    received: (...asked) => each(provider.received(...asked)),
    returned: (...asked) => each(provider.returned(...asked)),
    readCallback: (body) => provider.readCallback(body),
  };
}

function isWrong(code: string | null): boolean {
  return code !== null && (code.startsWith("wrong_") || WRONG_CODES.has(code));
}
