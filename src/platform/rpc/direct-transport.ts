import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type DescService,
  type Message,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createContextKey,
  createContextValues,
  type ConnectRouter,
  type ContextValues,
  type HandlerContext,
  type Interceptor,
  type ServiceImpl,
  type Transport,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { CallHeaders } from "../../../contract/headers.ts";
import { ofMethod } from "../../../contract/of-method.ts";
import { CallDeadline } from "./call-deadline.ts";
import { DIRECT_SCHEME } from "./core-access.ts";
import type { UnaryImpl } from "./operation.ts";

/** Registers services on a Connect router, or on the direct transport. */
export type RegisterServices = (router: Pick<ConnectRouter, "service">) => void;

type UnaryCall = (request: UnaryRequest) => Promise<UnaryResponse>;

const deadlineOf = createContextKey<CallDeadline | undefined>(undefined);
const neverAborted = new AbortController().signal;
const urlOf = ofMethod((method) => `${DIRECT_SCHEME}//core/${method.parent.typeName}/${method.name}`);

/**
 * Returns a Transport that passes messages to services of the same process, with the same interceptors and without
 * encoding. Neither side may change a message afterwards. There are no streaming RPCs.
 */
export function createDirectTransport(
  register: RegisterServices,
  interceptors: readonly Interceptor[],
): Transport {
  const calls = new Map<DescMethodUnary, UnaryCall>();
  const router = {
    service<T extends DescService>(service: T, implementation: Partial<ServiceImpl<T>>) {
      for (const method of service.methods) {
        const run = implementation[method.localName as keyof ServiceImpl<T>];
        if (method.methodKind !== "unary" || !run) continue;
        const unary = method as DescMethodUnary;
        calls.set(
          unary,
          intercepted(callOf(unary, run as UnaryImpl<DescMessage, DescMessage>), interceptors),
        );
      }
      return router as ConnectRouter;
    },
  };
  register(router);
  return {
    async unary(method, signal, timeoutMs, header, input) {
      const call = calls.get(method);
      if (!call) throw new ConnectError(`${method.name} is not implemented`, Code.Unimplemented);
      const isBounded = timeoutMs !== undefined || signal !== undefined;
      const deadline = isBounded ? new CallDeadline(timeoutMs, signal) : undefined;
      const isMade = header instanceof CallHeaders || header instanceof Headers;
      const headers = isMade ? header : new Headers(header);
      const request = new DirectRequest(method, headers, create(method.input, input), deadline);
      const response = deadline ? await deadline.keep(() => call(request)) : await call(request);
      return response as UnaryResponse<typeof method.input, typeof method.output>;
    },
    stream() {
      return Promise.reject(new ConnectError("Streaming is not offered in-process.", Code.Unimplemented));
    },
  };
}

// With a class, the signal's getter is made once, not for each call.
class DirectRequest implements UnaryRequest {
  readonly stream = false;
  readonly service: DescService;
  readonly method: DescMethodUnary;
  readonly requestMethod = "POST";
  readonly header: Headers;
  readonly contextValues: ContextValues;
  readonly message: Message;
  readonly deadline: CallDeadline | undefined;

  constructor(
    method: DescMethodUnary,
    header: Headers,
    message: Message,
    deadline: CallDeadline | undefined,
  ) {
    this.service = method.parent;
    this.method = method;
    this.header = header;
    this.contextValues = createContextValues().set(deadlineOf, deadline);
    this.message = message;
    this.deadline = deadline;
  }

  get url(): string {
    return urlOf(this.method);
  }

  get signal(): AbortSignal {
    return this.deadline?.signal ?? neverAborted;
  }
}

class DirectContext implements HandlerContext {
  readonly method: DescMethodUnary;
  readonly service: DescService;
  readonly requestMethod = "POST";
  readonly requestHeader: Headers;
  readonly responseHeader: Headers = new CallHeaders();
  readonly responseTrailer: Headers = new CallHeaders();
  readonly protocolName = "direct";
  readonly values: ContextValues;
  readonly #request: UnaryRequest;

  constructor(request: UnaryRequest) {
    this.method = request.method;
    this.service = request.service;
    this.requestHeader = request.header;
    this.values = request.contextValues;
    this.#request = request;
  }

  get url(): string {
    return this.#request.url;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  timeoutMs(): number | undefined {
    return this.values.get(deadlineOf)?.leftMs();
  }
}

function intercepted(call: UnaryCall, interceptors: readonly Interceptor[]): UnaryCall {
  const applied = interceptors.reduceRight<ReturnType<Interceptor>>(
    (next, interceptor) => interceptor(next),
    (request) => call(request as UnaryRequest),
  );
  return (request) => applied(request) as Promise<UnaryResponse>;
}

function callOf(method: DescMethodUnary, run: UnaryImpl<DescMessage, DescMessage>): UnaryCall {
  return async (request) => {
    const context = new DirectContext(request);
    const message = await run(request.message, context);
    return {
      stream: false,
      service: method.parent,
      method,
      header: context.responseHeader,
      trailer: context.responseTrailer,
      message: create(method.output, message),
    };
  };
}
