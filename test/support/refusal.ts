import { ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";

/** The contract's code of the error that a call ends with; "ok" when it ends well. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  return await call.then(
    () => "ok",
    (error: unknown) => ConnectError.from(error).findDetails(ErrorInfoSchema)[0]?.reason ?? String(error),
  );
}
