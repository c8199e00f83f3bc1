import type { JsonObject } from "@bufbuild/protobuf";
import { Idempotency } from "../../gen/paylink/options/v1/options_pb.ts";
import { errorResponse } from "./errors.ts";
import { responseHeaders } from "./headers.ts";
import { tagOf } from "./tags.ts";

const PLAIN = { idempotency: Idempotency.UNSPECIFIED, isPublic: true };

/** The paths that the gateway answers itself, besides the RPCs. */
export const SERVICE_PATHS: Readonly<Record<string, JsonObject>> = {
  "/healthz": {
    get: {
      operationId: "getHealth",
      tags: [tagOf("/healthz")],
      summary: "Reports whether the service takes requests",
      security: [],
      responses: {
        "200": health("ok", "It does."),
        "400": errorResponse(400, ["invalid_request"], PLAIN),
        "503": health("unavailable", "It does not."),
      },
    },
  },
};

/** Returns a health response, without the contract's error shape and Retry-After, because monitoring reads it. */
function health(word: string, description: string): JsonObject {
  return {
    description,
    headers: responseHeaders(200, PLAIN),
    content: {
      "application/json": {
        schema: {
          type: "object",
          required: ["status"],
          properties: { status: { type: "string", const: word } },
        },
        example: { status: word },
      },
    },
  };
}
