import type { JsonObject } from "@bufbuild/protobuf";
import { isDeepStrictEqual } from "node:util";
import { defined } from "../../contract/defined.ts";
import type { UpdatePaymentLinkRequest } from "../../gen/paylink/links/v1/links_pb.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import type { PaymentLinkRow } from "./entities.ts";

/** What may change on a link: nothing that a price is made of. */
type Changeable = Pick<
  PaymentLinkRow,
  | "reference"
  | "description"
  | "productRef"
  | "details"
  | "productImages"
  | "successUrl"
  | "successMessage"
  | "metadata"
  | "expiresAt"
>;

export type LinkChange = Readonly<Partial<Changeable>>;

/** Returns the fields that the request gives another value. */
export function changeOf(request: UpdatePaymentLinkRequest, link: PaymentLinkRow, now: Date): LinkChange {
  const { reference, description, productRef, details, productImages, metadata, expiresIn } = request;
  const { successUrl, successMessage } = request;
  const given: Partial<Changeable> = {
    ...(reference === undefined ? {} : { reference: reference || null }),
    ...(description === undefined ? {} : { description: description || null }),
    ...(productRef === undefined ? {} : { productRef: productRef || null }),
    ...(details === undefined ? {} : { details: details || null }),
    ...(productImages === undefined ? {} : { productImages: productImages.values }),
    ...(successUrl === undefined ? {} : { successUrl: successUrl || null }),
    ...(successMessage === undefined ? {} : { successMessage: successMessage || null }),
    ...defined({ metadata }),
    ...(expiresIn === undefined
      ? {}
      : { expiresAt: expiresIn === 0n ? null : secondsAfter(now, Number(expiresIn)) }),
  };
  const fields = Object.entries(given) as [keyof Changeable, unknown][];
  return Object.fromEntries(
    fields.filter(([name, value]) => !isDeepStrictEqual(value, link[name] ?? null)),
  ) as LinkChange;
}

/** Returns true if the link would end earlier than it does now. */
export function isShortened({ expiresAt }: PaymentLinkRow, change: LinkChange): boolean {
  if (change.expiresAt === undefined || change.expiresAt === null) return false;
  return !expiresAt || change.expiresAt < expiresAt;
}

/** Returns the former values of what changes, with the names of the contract, for the audit log. */
export function formerValues(link: PaymentLinkRow, change: LinkChange): JsonObject {
  const { reference = null, description = null, details = null, productImages, metadata, expiresAt } = link;
  const former: Readonly<Record<keyof Changeable, JsonObject>> = {
    reference: { reference },
    description: { description },
    productRef: { product_ref: link.productRef ?? null },
    details: { details },
    productImages: { product_images: productImages },
    successUrl: { success_url: link.successUrl ?? null },
    successMessage: { success_message: link.successMessage ?? null },
    metadata: { metadata },
    expiresAt: { expires_at: expiresAt ? expiresAt.getTime() / 1000 : 0 },
  };
  const changed = Object.keys(change) as (keyof Changeable)[];
  return Object.assign({}, ...changed.map((name) => former[name])) as JsonObject;
}
