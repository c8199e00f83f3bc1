import type { Interceptor } from "@connectrpc/connect";
import { AS_TEXTS, holdsTexts, OBJECTS_HEADER, withTexts } from "../../../contract/object-texts.ts";

/** Sends the free objects of a response as texts to a caller that takes them, if any of them is a long text. */
export function sendObjectTexts(): Interceptor {
  return (next) => async (request) => {
    const response = await next(request);
    const { output } = request.method;
    if (response.stream || request.header.get(OBJECTS_HEADER) !== AS_TEXTS) return response;
    if (!holdsTexts(output, response.message)) return response;
    response.header.set(OBJECTS_HEADER, AS_TEXTS);
    return { ...response, message: withTexts(output, response.message) };
  };
}
