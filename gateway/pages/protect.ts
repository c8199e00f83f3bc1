import helmet from "@fastify/helmet";
import type { FastifyInstance } from "fastify";

/** Where a page may load from and send to, beyond its own scripts and styles with their nonces. */
export interface PageSources {
  readonly images: readonly string[];
  /** True: its forms may be sent to this host. */
  readonly hasForms: boolean;
  /** Whom an address is told to. With "no-referrer" browsers send forms from the origin "null". */
  readonly referrer: "no-referrer" | "same-origin";
}

/** Gives every answer the strict policy: nonces, no inline handler, no other host but for pictures. */
export async function protectPages(
  app: FastifyInstance,
  { images, hasForms, referrer }: PageSources,
): Promise<void> {
  await app.register(helmet, {
    enableCSPNonces: true,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: [],
        styleSrc: [],
        imgSrc: [...images],
        connectSrc: ["'self'"],
        formAction: [hasForms ? "'self'" : "'none'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
      },
    },
    referrerPolicy: { policy: referrer },
    // The gateway's own, on every answer: transport-headers.ts.
    strictTransportSecurity: false,
    crossOriginEmbedderPolicy: false,
  });
}
