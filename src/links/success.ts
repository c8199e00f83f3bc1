import { webAddress } from "../../contract/web-address.ts";
import { invalidRequest } from "../platform/rpc/errors.ts";
import { checkOwnText } from "../platform/rpc/metadata.ts";

/**
 * Checks what a payer who has paid is told and where they may go back to. An empty text counts as absent. Errors: invalid_request on
 * success_url or success_message.
 */
export function checkSuccess({
  successUrl = "",
  successMessage,
}: {
  readonly successUrl?: string | undefined;
  readonly successMessage?: string | undefined;
}): void {
  checkOwnText("success_url", successUrl);
  checkOwnText("success_message", successMessage);
  if (successUrl === "") return;
  const { protocol, username, password } = webAddress(successUrl) ?? {};
  if (protocol !== "https:") {
    throw invalidRequest("success_url", "success_url is an address that begins with https://.");
  }
  // A browser shows a name before the host as if it were one.
  if (username !== "" || password !== "") {
    throw invalidRequest("success_url", "success_url has no user name or password.");
  }
}
