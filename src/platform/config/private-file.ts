import { randomBytes } from "node:crypto";
import { link, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Returns the file's text, or undefined if there is no such file. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Returns true if the error says that a file does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/**
 * Writes a text to a file that only its owner can read (mode 0600), completely or not at all. An existing file is kept.
 * Returns the file's text.
 */
export async function keepPrivately(path: string, text: string): Promise<string> {
  return await throughDraft(path, text, async (draft) => {
    try {
      await link(draft, path);
      return text;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      return await readFile(path, "utf8");
    }
  });
}

/** Writes a text to a file that only its owner can read, completely or not at all. An existing file is replaced. */
export async function replacePrivately(path: string, text: string): Promise<void> {
  await throughDraft(path, text, async (draft) => await rename(draft, path));
}

async function throughDraft<Result>(
  path: string,
  text: string,
  finish: (draft: string) => Promise<Result>,
): Promise<Result> {
  await mkdir(dirname(path), { recursive: true });
  const draft = join(dirname(path), `.${randomBytes(8).toString("hex")}`);
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
    return await finish(draft);
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
}
