const NAME = "grpc-message";
// All of printable ASCII, but for the percent sign.
const NEEDLESS_ESCAPES = /%(?!25|7F)[2-7][\dA-F]/g;

/**
 * Passes an answer on, and ends it with a `grpc-message` that escapes what gRPC asks for alone: connect-es escapes what a URL
 * asks for, and grpc-js leaves some of that as it is.
 */
export async function* withPlainMessage(
  body: AsyncIterable<Uint8Array>,
  trailer: Headers | undefined,
): AsyncGenerator<Uint8Array> {
  yield* body;
  const message = trailer?.get(NAME);
  if (message) trailer?.set(NAME, message.replaceAll(NEEDLESS_ESCAPES, decodeURIComponent));
}
