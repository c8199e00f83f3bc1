import type { Call } from "./call.ts";
import type { Decision } from "./decision.ts";
import { endOf, idOf, isAddress, requireAddress } from "./decide-link.ts";
import { unpayable } from "./payment-options.ts";
import { withEntry, type JsonObject, type Link, type World } from "./world.ts";

/** A quote of the caller that is neither accepted nor past its validity becomes a link of its very price. */
export function decideAccept(world: World, { caller, id, body }: Call): Decision {
  const given = body as {
    expires_in?: number;
    campaign?: boolean;
    reference?: string;
    metadata?: JsonObject;
  };
  const quote = world.quotes.get(id);
  if (quote?.caller !== caller) return { refusals: [{ code: "quote_not_found", param: null }] };
  if (quote.linkId !== undefined) return { refusals: [{ code: "quote_consumed", param: null }] };
  if (quote.expiresAt < world.now) return { refusals: [{ code: "quote_expired", param: null }] };
  const { price, fx, intent } = quote;
  const isCampaign = given.campaign ?? false;
  const expiresAt = endOf(world, given.expires_in, isCampaign);
  const reference = given.reference ?? intent?.reference ?? null;
  const link = (linkId: string): Link => ({
    id: linkId,
    caller,
    status: "active",
    isCampaign,
    expiresAt,
    amount: price.amount,
    currency: price.currency,
    methods: [price.method],
    feeHandling: price.feeHandling,
    installments: price.installments,
    quote: isCampaign ? undefined : quote,
    reference,
    metadata: given.metadata ?? intent?.metadata ?? {},
  });
  return {
    expected: {
      id: idOf("pl"),
      url: isAddress,
      checkout_url: isAddress,
      amount: Number(price.amount),
      currency: price.currency,
      payment_method: price.method,
      installments: price.installments,
      payer_total: Number(price.payerTotal),
      payer_currency: "BRL",
      receiver_net: Number(price.receiverNet),
      receiver_currency: price.payout,
      ...(fx && !isCampaign ? { fx_rate_history_id: fx.id } : {}),
      payment_intent_id: idOf("pi"),
      expires_at: expiresAt,
      reference,
      ...unpayable(world, caller),
    },
    ids: ({ id: linkId, payment_intent_id: intentId }) => [String(linkId), String(intentId)],
    learn: ({ id: made, url, checkout_url: address }) => {
      requireAddress(url, made);
      requireAddress(address, made);
      return {
        ...world,
        quotes: withEntry(world.quotes, id, { ...quote, linkId: String(made) }),
        links: withEntry(world.links, String(made), link(String(made))),
      };
    },
  };
}
