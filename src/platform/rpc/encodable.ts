import { toBinary, toJsonString } from "@bufbuild/protobuf";
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
    const encode = JSON_TYPE.test(type) ? toJsonString : toBinary;
    encode(response.method.output, response.message);
    return response;
  };
}
