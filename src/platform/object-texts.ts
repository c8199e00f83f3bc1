import type { Interceptor } from "@connectrpc/connect";
import { AS_TEXTS, holdsObjects, OBJECTS_HEADER, withTexts } from "../../contract/object-texts.ts";

/** Sends the free objects of a response as texts to a caller that asks for that. */
export function sendObjectTexts(): Interceptor {
  return (next) => async (request) => {
    const response = await next(request);
    const { output } = request.method;
    if (response.stream || request.header.get(OBJECTS_HEADER) !== AS_TEXTS || !holdsObjects(output)) {
      return response;
    }
    response.header.set(OBJECTS_HEADER, AS_TEXTS);
    return { ...response, message: withTexts(output, response.message) };
  };
}
