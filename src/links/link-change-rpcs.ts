import type { ServiceImpl } from "@connectrpc/connect";
import type { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import type { Caller } from "../platform/rpc/caller.ts";
import { update } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { utcText } from "../platform/time/timestamps.ts";
import { invalidRequest, type PaylinkError } from "../platform/rpc/errors.ts";
import { checkOwnText, checkOwnWords } from "../platform/rpc/metadata.ts";
import { changeOf, formerValues, isShortened, type LinkChange } from "./changed-link.ts";
import type { LinksDeps } from "./deps.ts";
import { PaymentLink, type PaymentLinkRow } from "./entities.ts";
import { canceledAt, requireChangeable, statusAt } from "./link-status.ts";
import { recordLinks } from "./link-events.ts";
import { linkResponse } from "./mapping.ts";
import { checkMediaUrls, unknownPicture } from "./media-url.ts";
import { requireLink } from "./repository.ts";
import { checkSuccess } from "./success.ts";

type Changes = Pick<
  ServiceImpl<typeof LinksService>,
  "updatePaymentLink" | "cancelPaymentLink" | "reactivatePaymentLink"
>;

/** The RPCs that change a payment link. */
export function linkChangeRpcs(deps: LinksDeps): Changes {
  const { operations, clock, checkoutBase } = deps;
  return {
    updatePaymentLink: operations.write({
      check: (request) => {
        const { description, details, metadata, productImages } = request;
        checkOwnWords({ description, details, metadata });
        checkSuccess(request);
        for (const image of productImages?.values ?? []) checkOwnText("product_images", image);
      },
      decide: async (request, caller) => {
        const now = wholeSecond(clock);
        const link = await requireLink(caller.environment, caller.tenantId, request.id);
        requireChangeable(link, now);
        const change = changeOf(request, link, now);
        await requireAllowed(change, link, caller, deps);
        const after = { ...link, ...change, updatedAt: now };
        const status = statusAt(after, now);
        const isSame = Object.keys(change).length === 0;
        const response = linkResponse(caller.mode, isSame ? link : after, status, checkoutBase);
        if (isSame) return { response, changes: [] };
        const set = {
          ...change,
          updatedAt: now,
          canceledAt: link.status === "canceled" ? canceledAt(link) : null,
        };
        const details = { before: formerValues(link, change) };
        const changes = [
          update(PaymentLink, asRead(link), set),
          ...(isShortened(link, change) ? [deps.ledger.requireNoneInProgress(link, paymentInProgress)] : []),
        ];
        return { response, changes, audit: { objectId: link.id, details } };
      },
    }),
    cancelPaymentLink: operations.write({
      decide: async ({ id }, caller) => {
        const now = wholeSecond(clock);
        const link = await requireLink(caller.environment, caller.tenantId, id);
        const response = (row: PaymentLinkRow) => linkResponse(caller.mode, row, "canceled", checkoutBase);
        if (link.status === "canceled") return { response: response(link), changes: [] };
        requireChangeable(link, now);
        const set = { status: "canceled", updatedAt: now, canceledAt: now } as const;
        return {
          response: response({ ...link, ...set }),
          changes: [update(PaymentLink, asRead(link), set), ...recordLinks(deps, caller, "canceled", [link])],
          audit: { objectId: id },
        };
      },
    }),
    reactivatePaymentLink: operations.write({
      decide: async ({ id }, caller) => {
        const now = wholeSecond(clock);
        const link = await requireLink(caller.environment, caller.tenantId, id);
        requireChangeable(link, now);
        if (link.expiresAt && link.expiresAt <= now) {
          const end = utcText(link.expiresAt);
          throw invalidRequest(
            null,
            `The link's time ended at ${end}: set a later one with expires_in first.`,
          );
        }
        const response = (row: PaymentLinkRow) => linkResponse(caller.mode, row, "active", checkoutBase);
        if (link.status === "active") return { response: response(link), changes: [] };
        const set = { status: "active", updatedAt: now, canceledAt: null } as const;
        return {
          response: response({ ...link, ...set }),
          changes: [update(PaymentLink, asRead(link), set)],
          audit: { objectId: id },
        };
      },
    }),
  };
}

/** The commit fails if the link has changed since it was read. */
function asRead({ tenantId, id, status, expiresAt = null, updatedAt = null }: PaymentLinkRow) {
  return { tenantId, id, status, expiresAt, updatedAt };
}

function paymentInProgress(): PaylinkError {
  const message =
    "A payment is in progress: the link cannot end earlier. Cancel it, or wait for the payment.";
  return invalidRequest("expires_in", message);
}

/** Error: invalid_request on product_images. */
async function requireAllowed(
  change: LinkChange,
  link: PaymentLinkRow,
  caller: Caller,
  { media, mediaBase }: LinksDeps,
): Promise<void> {
  const pictures = change.productImages ?? [];
  if (link.quoteId == null || pictures.length === 0) return;
  checkMediaUrls(pictures, mediaBase, "product_images");
  if (!(await media.holdsAll(caller, pictures))) throw unknownPicture("product_images");
}
