import { fork } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { PaylinkError } from "../platform/errors.ts";
import type { Asked } from "./decoder-process.ts";
import type { Decoded } from "./decoding.ts";
import { jpegScans } from "./jpeg-scans.ts";
import { hasMoreFrames } from "./webp-frames.ts";

/** A picture as stored: WebP, without metadata. */
export interface Picture {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Hex. */
  readonly sha256: string;
}

interface Reported {
  readonly decoded: Decoded;
  readonly cpuMs: number;
}

/** The type of every stored picture. */
export const PICTURE_TYPE = "image/webp";

// Each scan goes through the whole picture again in a few bytes. Programs write at most some twenty.
const SCANS_MAX = 50;
// To read the header takes time by the square of the frames. Only the first frame is kept.
const FRAMES_MAX = 1000;
// The largest pictures take two thirds of it, on a slow machine.
const CPU_MS_MAX = 3000;
const COSTLY_CPU_MS = 2000;
// Below the time of the call.
const WAIT_MS_MAX = 15_000;
const PROCESS = new URL("decoder-process.ts", import.meta.url);

/**
 * Decodes a file by its content and encodes it again: upright, in sRGB, at most 1600 pixels on a side. `onCostly`: it took
 * long. Errors: media_refused on content, service_unavailable.
 */
export async function remade(content: Uint8Array, onCostly = (): void => undefined): Promise<Picture> {
  if (hasMoreFrames(content, FRAMES_MAX)) {
    throw refused(`The picture has more than ${FRAMES_MAX} frames: send one without an animation.`);
  }
  if (jpegScans(content) > SCANS_MAX) {
    throw refused(`The picture is a JPEG of more than ${SCANS_MAX} scans: save it anew and send it again.`);
  }
  const { decoded, cpuMs } = await decodedApart(content);
  if (cpuMs > COSTLY_CPU_MS) onCostly();
  if (decoded === "late") {
    throw new PaylinkError("service_unavailable", "The picture took too long: try again in a moment.");
  }
  if (decoded.kind === "refused") throw refused(decoded.message);
  const { bytes, width, height } = decoded;
  return { bytes, width, height, sha256: hash("sha256", bytes, "hex") };
}

/**
 * Decodes in a process of its own, which has no secret of the service and is killed if that takes long: what a file costs is
 * seen only then, and no thread ends in the midst of it.
 */
async function decodedApart(
  content: Uint8Array,
): Promise<{ readonly decoded: Decoded | "late"; readonly cpuMs: number }> {
  const child = fork(PROCESS, {
    execArgv: [],
    env: {},
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, WAIT_MS_MAX);
  let reported: Reported | undefined;
  child.on("message", (message) => {
    reported = message as Reported;
  });
  const ended = once(child, "exit");
  // It fails if the process does not start; then it may not be awaited below.
  ended.catch(() => undefined);
  try {
    child.send({ content, cpuMsMax: CPU_MS_MAX } satisfies Asked);
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
    if (reported) return reported;
    if (isLate) return { decoded: "late", cpuMs: CPU_MS_MAX };
    if (signal !== "SIGKILL")
      throw new Error(`the process that decodes pictures ended with ${code ?? signal}`);
    const message = "The picture takes too long to decode: save it anew and send it again.";
    return { decoded: { kind: "refused", message }, cpuMs: CPU_MS_MAX };
  } finally {
    clearTimeout(timer);
  }
}

function refused(message: string): PaylinkError {
  return new PaylinkError("media_refused", message, "content");
}
