import type { ServiceImpl } from "@connectrpc/connect";
import { create } from "@bufbuild/protobuf";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  ListPaymentLinksRequestSchema,
  PaymentLinkOrder,
  type LinksService,
  type ListPaymentLinksRequest,
} from "../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod as MethodEnum } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { Operation } from "../platform/rpc/call.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { checkPayerCountry } from "../platform/text/country.ts";
import { invalidRequest, PaylinkError } from "../platform/rpc/errors.ts";
import { keysetPage } from "../platform/db/keyset-page.ts";
import { checkOwnText, checkOwnWords } from "../platform/rpc/metadata.ts";
import { decideAcceptance } from "./acceptance.ts";
import type { LinksDeps } from "./deps.ts";
import { linkChangeRpcs } from "./link-change-rpcs.ts";
import { filterOf } from "./link-filter.ts";
import { statusAt } from "./link-status.ts";
import { linkResponse } from "./mapping.ts";
import { checkMediaUrls, unknownPicture } from "./media-url.ts";
import { insertLink, newDirectLink } from "./new-link.ts";
import { checkSuccess } from "./success.ts";
import { countLinks, findLink, listLinks, requireLink } from "./repository.ts";
import { checkAftermath, checkDeclineCode } from "./simulated-outcome.ts";
import { decideSimulation } from "./simulation.ts";

const LIMIT_DEFAULT = 20;
const NEEDS_CARD =
  "max_installments needs card among payment_methods: add card, or leave max_installments out.";
const TEST_ALONE = "Payments are simulated in test mode alone: use a link and a key of test mode.";
const orders = wordsOf(PaymentLinkOrder);

/** The RPCs of payment links. */
export function linkRpcs(deps: LinksDeps): ServiceImpl<typeof LinksService> {
  const { operations, identity, pricing, ledger, media, clock, checkoutBase, mediaBase, accountLimits } =
    deps;

  async function page(
    request: ListPaymentLinksRequest,
    { environment, tenantId, mode }: Pick<Operation, "environment" | "tenantId" | "mode">,
    order?: Parameters<typeof listLinks>[5],
  ) {
    const now = wholeSecond(clock);
    const { limit = LIMIT_DEFAULT, startingAfter } = request;
    const filter = filterOf(request, now);
    const { rows, hasMore, nextCursor } = await keysetPage({
      limit,
      startingAfter,
      what: "the id of a payment link",
      find: (id) => findLink(environment, tenantId, id),
      read: (after, rowCount) => listLinks(environment, tenantId, filter, after, rowCount, order),
    });
    const data = rows.map((link) => linkResponse(mode, link, statusAt(link, now), checkoutBase));
    return { data, hasMore, nextCursor };
  }

  return {
    ...linkChangeRpcs(deps),
    createPaymentLink: operations.write({
      check: (request) => {
        const { description, details, metadata } = request;
        checkOwnWords({ description, details, metadata });
        checkSuccess(request);
        const { maxInstallments, paymentMethods, productImages } = request;
        for (const image of productImages?.values ?? []) checkOwnText("product_images", image);
        if (maxInstallments !== undefined && !paymentMethods?.values.includes(MethodEnum.CARD)) {
          throw invalidRequest("max_installments", NEEDS_CARD);
        }
      },
      decide: async (request, caller) => {
        const { tenantId, mode } = caller;
        const settings = await identity.settingsOf(tenantId);
        const book = await pricing.bookOf(mode, tenantId);
        const limits = await accountLimits(caller);
        const payee = identity.payee(settings);
        const { link, unpayable } = newDirectLink(request, settings, payee, book, limits, wholeSecond(clock));
        const response = linkResponse(mode, link, link.status, checkoutBase);
        if (unpayable !== undefined) response.paymentLink.notPayableReason = unpayable;
        const audit = { objectId: link.id };
        return { response, changes: insertLink(deps, mode, link), audit };
      },
    }),
    acceptQuote: operations.write({
      check: async (request, caller) => {
        const { name, description, metadata, payerCountry, mediaUrls } = request;
        checkOwnWords({ name, description, metadata });
        checkSuccess(request);
        checkPayerCountry(payerCountry);
        const pictures = mediaUrls?.values ?? [];
        checkMediaUrls(pictures, mediaBase);
        if (pictures.length > 0 && !(await media.holdsAll(caller, pictures))) throw unknownPicture();
      },
      decide: async (request, caller) => {
        const now = wholeSecond(clock);
        const { quote, price } = await pricing.acceptable(caller, request.id, now);
        const limits = await accountLimits(caller);
        return await decideAcceptance(request, deps, { caller, quote, price, limits, now });
      },
    }),
    simulatePayment: operations.write({
      check: (request, { mode }) => {
        if (mode === "live") throw new PaylinkError("not_available_in_live", TEST_ALONE);
        checkDeclineCode(request);
        checkAftermath(request);
      },
      decide: async (request, caller) => {
        const { environment, tenantId } = caller;
        const now = wholeSecond(clock);
        const link = await requireLink(environment, tenantId, request.id);
        const needed = { ...deps, environment, caller, now };
        return await decideSimulation(request, link, needed);
      },
    }),
    getPaymentLink: operations.run(async ({ id }, caller) => {
      const link = await requireLink(caller.environment, caller.tenantId, id);
      const status = statusAt(link, wholeSecond(clock));
      return linkResponse(caller.mode, link, status, checkoutBase);
    }),
    listPaymentLinks: operations.run(async (request, caller) => await page(request, caller)),
    listLinkPayments: operations.run(async ({ id, limit, startingAfter }, caller) => {
      await requireLink(caller.environment, caller.tenantId, id);
      return await ledger.linkPayments(caller, id, { limit, startingAfter });
    }),
    searchPaymentLinks: operations.run(async ({ filter, order }, caller) => {
      const asked = filter ?? create(ListPaymentLinksRequestSchema);
      const word = order === undefined ? undefined : orders.wordOf(order);
      const { environment, tenantId } = caller;
      const matching = filterOf(asked, wholeSecond(clock));
      const [found, linkCount] = await Promise.all([
        page(asked, caller, word),
        countLinks(environment, tenantId, matching),
      ]);
      return { page: found, linkCount };
    }),
  };
}
