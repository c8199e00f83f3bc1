import { ConnectError } from "@connectrpc/connect";
import { refusalOf } from "../../src/platform/observer.ts";

/** What a Connect call came to that failed: the protocol's code, the contract's and the text. */
export async function refused(call: Promise<unknown>) {
  const error = await call.then(
    () => {
      throw new Error("the call did not fail");
    },
    (reason: unknown) => reason,
  );
  return { ...refusalOf(error), message: ConnectError.from(error).rawMessage };
}
