import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "selfsigned";

/** A certificate and its key, as PEM texts. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority of the tests. */
export interface Authority extends Pair {
  /** A certificate for this machine that a server and a client may show. */
  issue(): Promise<Pair>;
}

export async function newAuthority(name: string): Promise<Authority> {
  const own = await generate([{ name: "commonName", value: name }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const ca = { cert: own.cert, key: own.private };
  return {
    ...ca,
    issue: async () => {
      const issued = await generate([{ name: "commonName", value: "localhost" }], {
        keyType: "ec",
        algorithm: "sha256",
        ca,
        extensions: [
          { name: "basicConstraints", cA: false },
          { name: "extKeyUsage", serverAuth: true, clientAuth: true },
          { name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] },
        ],
      });
      return { cert: issued.cert, key: issued.private };
    },
  };
}

/** Writes texts to files of these names in a folder of their own. */
export async function writeFiles<Name extends string>(
  texts: Readonly<Record<Name, string>>,
): Promise<{
  paths: Record<Name, string>;
  rewrite: (name: Name, text: string) => Promise<void>;
  remove: () => Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), "paylink-files-"));
  const names = Object.keys(texts) as Name[];
  const paths = Object.fromEntries(names.map((name) => [name, join(folder, name)])) as Record<Name, string>;
  for (const name of names) await writeFile(paths[name], texts[name], { mode: 0o600 });
  return {
    paths,
    rewrite: async (name, text) => await writeFile(paths[name], text),
    remove: async () => await rm(folder, { recursive: true, force: true }),
  };
}
