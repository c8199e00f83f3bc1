import { toBinary, toJsonString, type DescMessage, type Message } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";

const JSON_TYPE = /json\b/i;

/**
 * Holds every answer against its encoding while errors still pass the interceptors. Connect encodes it after them, and its
 * own error would show the caller the encoder's text and nobody else. Calls within the process are not encoded.
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
