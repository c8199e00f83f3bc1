import type { CallbackReference } from "../providers/ports.ts";
import { fieldsIn, isFields } from "./json.ts";
import { ownReference } from "./messages.ts";

const ID = /^[0-9A-Za-z_-]{1,100}$/;

/** Returns what a callback's body refers to; nothing of a body of another form. */
export function readCallback(body: string): CallbackReference[] {
  const payment = fieldsIn(body)?.["payment"];
  if (!isFields(payment)) return [];
  const { id } = payment;
  const providerPaymentId = typeof id === "string" && ID.test(id) ? id : null;
  return [{ reference: ownReference(payment), providerPaymentId }];
}
