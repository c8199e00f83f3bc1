import { toBinary, toJsonString, type DescMessage, type Message } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";

const JSON_TYPE = /json\b/i;

/**
 * Checks that each response can be encoded, while errors still pass the interceptors. Connect encodes later. Its own
 * error would show the encoder's text to the caller, and would not be logged.
 */
export function requireEncodable(): Interceptor {
  return (next) => async (request) => {
    const response = await next(request);
    const type = request.header.get("content-type");
    if (response.stream || type === null) return response;
    encode(response.method.output, response.message, JSON_TYPE.test(type));
    return response;
  };
}

function encode(schema: DescMessage, message: Message, isJson: boolean): void {
  if (isJson) toJsonString(schema, message);
  else toBinary(schema, message);
}
