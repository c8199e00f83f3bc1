import type { DescMethod } from "@bufbuild/protobuf";
import {
  createContextValues,
  createHandlerContext,
  type ContextValues,
  type HandlerContext,
} from "@connectrpc/connect";

/** Returns the context in which a core's RPC gets a request with these headers. */
export function handlerContext(
  method: DescMethod,
  requestHeader: Headers | Record<string, string>,
  contextValues: ContextValues = createContextValues(),
): HandlerContext {
  return createHandlerContext({
    service: method.parent,
    method,
    protocolName: "grpc",
    requestMethod: "POST",
    url: `http://core/${method.parent.typeName}/${method.name}`,
    requestHeader,
    contextValues,
  });
}
