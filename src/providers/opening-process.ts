import { createPrivateKey } from "node:crypto";
import { createSecureContext } from "node:tls";
import { isQuickKey } from "../platform/outside/public-key.ts";
import type { Asked, Opened } from "./opening.ts";

// What Node says of RC2, with which older programs encrypt the file.
const UNSUPPORTED = "Unsupported PKCS12";

// Opens one file, and says what that cost.
process.once("message", (asked: Asked) => {
  const before = process.cpuUsage();
  const opened = open(asked);
  const { user, system } = process.cpuUsage(before);
  process.send?.({ opened, cpuMs: (user + system) / 1000 });
  process.disconnect?.();
});

function open(asked: Asked): Opened {
  try {
    if ("key" in asked) {
      const key = createPrivateKey(asked);
      if (!isQuickKey(key)) return { kind: "heavy" };
      return { kind: "read", text: key.export({ type: "pkcs8", format: "pem" }) };
    }
    const context = createSecureContext(asked).context as { getCertificate(): Buffer | null };
    const certificate = context.getCertificate();
    return certificate ? { kind: "read", text: certificate.toString("base64") } : { kind: "unreadable" };
  } catch (error) {
    const isLegacy = error instanceof Error && error.message.startsWith(UNSUPPORTED);
    return { kind: isLegacy ? "legacy" : "unreadable" };
  }
}
