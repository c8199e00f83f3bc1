import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";

/** The contract's code of the error that a call ends with; "ok" when it ends well. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  return await call.then(
    () => "ok",
    (error: unknown) => ConnectError.from(error).findDetails(ErrorInfoSchema)[0]?.reason ?? String(error),
  );
}

/**
 * What the core refuses a call with: Connect's code by name, the contract's code, the field and the sentence. Undefined when
 * the call ends well.
 */
export async function refusalOf(call: Promise<unknown>) {
  return await call.then(
    () => undefined,
    (error: unknown) => {
      const refused = ConnectError.from(error);
      const [info] = refused.findDetails(ErrorInfoSchema);
      const { code, rawMessage: message } = refused;
      return { status: Code[code], code: info?.reason, param: info?.metadata["param"], message };
    },
  );
}
