import helmet from "@fastify/helmet";
import type { FastifyInstance, FastifyReply } from "fastify";

/** The sources that a page may load from and send to, besides its own scripts and styles with nonces. */
export interface PageSources {
  readonly images: readonly string[];
  /** True: forms may be sent to this host. */
  readonly hasForms: boolean;
  /** Who gets the page's address as referrer. With "no-referrer" browsers send forms with the origin "null". */
  readonly referrer: "no-referrer" | "same-origin";
}

const POLICY = "content-security-policy";
const CONNECTIONS = "connect-src 'self'";

/** Lets the scripts of the page that this answers send requests to one more address, and to no other path there. */
export function allowConnection(reply: FastifyReply, address: string): void {
  const { origin, pathname } = new URL(address);
  const policy = reply.getHeader(POLICY);
  if (typeof policy !== "string" || !policy.includes(CONNECTIONS)) throw new Error("a page without a policy");
  reply.header(POLICY, policy.replace(CONNECTIONS, `${CONNECTIONS} ${origin}${pathname}`));
}

/**
 * Sets a strict content security policy on every answer: nonces, no inline handlers, other hosts for images only. Bounds
 * what their readers leave unread.
 */
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
    // The gateway sets it on every answer: transport-headers.ts.
    strictTransportSecurity: false,
    crossOriginEmbedderPolicy: false,
  });
}
