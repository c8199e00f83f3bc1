import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../platform/config/private-file.ts";
import type { MediaStorage } from "./storage.ts";

/** Stores pictures in a folder that only this user can enter. The first picture creates it. */
export class DiskStorage implements MediaStorage {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const draft = join(this.#folder, `.${randomBytes(8).toString("hex")}`);
    try {
      const file = await open(draft, "wx", 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, join(this.#folder, name));
    } finally {
      await rm(draft, { force: true });
    }
    await this.#syncFolder();
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(join(this.#folder, name));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Syncs the folder. Without it, a power cut may lose the name of a file whose bytes are stored. */
  async #syncFolder(): Promise<void> {
    const folder = await open(this.#folder);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}
