import { ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import type { Command } from "commander";
import { inOptions } from "./option-words.ts";
import { plain } from "./output.ts";

/** Returns the error in one line for stderr, with the option names of the given command. */
export function failureText(error: unknown, command?: Command): string {
  if (!(error instanceof ConnectError)) return error instanceof Error ? error.message : String(error);
  const [info] = error.findDetails(ErrorInfoSchema);
  if (info) return `${plain(inOptions(error.rawMessage, command))} (${info.reason})`;
  return `${plain(error.rawMessage)} (is the core running, and the token its own?)`;
}
