import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Command } from "commander";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { ConfigError, readConfig, type Config, type DataKeys } from "../../src/platform/config/config.ts";
import { replacePrivately } from "../../src/platform/config/private-file.ts";
import { coreClient } from "../core/client.ts";
import { DATA_KEY_FILE, readDataKeyFile } from "../operate/keys/data-key.ts";
import { examples } from "../output/help.ts";
import { print } from "../output/output.ts";

const KEY_BYTES = 32;

export function addDataKey(program: Command): void {
  const dataKey = program
    .command("data-key")
    .description("the key that secrets in the database are encrypted with")
    .addHelpText("after", examples("data-key add", "data-key rotate", "data-key drop"));
  dataKey
    .command("add")
    .description("put a new key before the one in DATA_DIR/data-key; the next start encrypts with it")
    .action(async (_options: object, command: Command) => {
      const { file, keys } = await keysOfFile(readConfig(process.env));
      if (keys.length > 1) {
        throw new ConfigError(
          `${file} has a former key already: restart the service, then data-key rotate and drop.`,
        );
      }
      await replacePrivately(file, textOf([randomBytes(KEY_BYTES), ...keys]));
      print(command, {
        file,
        keys: keys.length + 1,
        next: "restart the service, then: paylink data-key rotate",
      });
    });
  dataKey
    .command("rotate")
    .description("encrypt with the present key what a former one encrypted; exit 1 when some is left")
    .action(async (_options: object, command: Command) => {
      const config = readConfig(process.env);
      const { rows, formerKeys, isComplete } = await rotate();
      // The core has the key of DATA_KEY, or of another machine's file, if there is none here.
      const keys = config.dataKeys ? undefined : await readDataKeyFile(config.dataDir);
      if (keys && keys.length - 1 > formerKeys) throw notRestarted(join(config.dataDir, DATA_KEY_FILE));
      print(command, { rows, former_keys: formerKeys, result: isComplete ? "complete" : "incomplete" });
      if (!isComplete) process.exitCode = 1;
    });
  dataKey
    .command("drop")
    .description("rotate, then remove the former keys from DATA_DIR/data-key")
    .action(async (_options: object, command: Command) => {
      const { file, keys } = await keysOfFile(readConfig(process.env));
      const { formerKeys, isComplete } = await rotate();
      if (!isComplete || formerKeys !== keys.length - 1) throw notRestarted(file);
      await replacePrivately(file, textOf(keys.slice(0, 1)));
      print(command, { file, dropped: keys.length - 1 });
    });
}

async function rotate(): Promise<{ rows: number; formerKeys: number; isComplete: boolean }> {
  const { client, options } = await coreClient(IdentityService);
  const { rowCount, formerKeyCount, isComplete } = await client.rotateDataKey({}, options);
  return { rows: Number(rowCount), formerKeys: formerKeyCount, isComplete };
}

/** A core that was not restarted encrypts with the former key, and knows of no other. */
function notRestarted(file: string): ConfigError {
  return new ConfigError(`The core does not use the keys of ${file} yet: restart it first.`);
}

/** Throws ConfigError if the keys are in DATA_KEY, or if there are none. */
async function keysOfFile({ dataKeys, dataDir }: Config): Promise<{ file: string; keys: DataKeys }> {
  if (dataKeys) {
    throw new ConfigError(
      "The key is in DATA_KEY: put the new one there, with a comma before the former one.",
    );
  }
  const file = join(dataDir, DATA_KEY_FILE);
  const keys = await readDataKeyFile(dataDir);
  if (!keys) throw new ConfigError(`${file} is not there: the first start makes it.`);
  return { file, keys };
}

function textOf(keys: readonly Buffer[]): string {
  return keys.map((key) => `${key.toString("base64")}\n`).join("");
}
