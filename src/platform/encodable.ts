import { toBinary, toJsonString, type DescMessage, type Message } from "@bufbuild/protobuf";
import { createContextKey, type Interceptor } from "@connectrpc/connect";

const JSON_TYPE = /json\b/i;

/** The length of a response as it is encoded; of one in JSON in characters. */
export const encodedBytes = createContextKey(0);

/**
 * Checks that each response can be encoded, while errors still pass the interceptors. Connect encodes later. Its own
 * error would show the encoder's text to the caller, and would not be logged.
 */
export function requireEncodable(): Interceptor {
  return (next) => async (request) => {
    const response = await next(request);
    const type = request.header.get("content-type");
    if (response.stream || type === null) return response;
    const length = encodedLength(response.method.output, response.message, JSON_TYPE.test(type));
    request.contextValues.set(encodedBytes, length);
    return response;
  };
}

function encodedLength(schema: DescMessage, message: Message, isJson: boolean): number {
  return (isJson ? toJsonString(schema, message) : toBinary(schema, message)).length;
}
