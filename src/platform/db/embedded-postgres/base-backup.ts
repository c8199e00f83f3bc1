import { randomBytes } from "node:crypto";
import pg from "pg";

/** A piece of a base backup: of the cluster's files as a tar archive, then of the server's manifest of them. */
export interface BackupPiece {
  readonly part: "archive" | "manifest";
  readonly bytes: Buffer;
}

// The server sends the WAL from the backup's beginning to its end with it: the archive needs nothing else to be opened.
const BASE_BACKUP = `BASE_BACKUP (LABEL 'paylink', CHECKPOINT 'fast', WAL true, WAIT false,
  MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256')`;
const CONNECT_MS_MAX = 10_000;
const WAITING_BYTES_MAX = 1_048_576;

/** The first byte of each message that the server sends in a base backup. */
const KIND = { newArchive: 0x6e, manifest: 0x6d, data: 0x64 };

/**
 * Yields a base backup of the running server, as `pg_basebackup` would receive it, and ends with the server's own check
 * of every page. All that was committed before it ends is in it. Throws if the server ends, or has a damaged page. The
 * connection's role needs the right of replication.
 */
export async function* baseBackup(connectionString: string): AsyncGenerator<BackupPiece, void, undefined> {
  // The driver's types do not know the option.
  const options = { connectionString, connectionTimeoutMillis: CONNECT_MS_MAX, replication: "true" };
  const client = new pg.Client(options);
  client.on("error", () => undefined);
  await client.connect();
  const received = new ReceivedBackup();
  try {
    // Until this connection ends, the server keeps the WAL that the backup needs.
    const slot = `paylink_backup_${randomBytes(6).toString("hex")}`;
    await client.query(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY PHYSICAL (RESERVE_WAL)`);
    client.query(received);
    let part: BackupPiece["part"] = "archive";
    for await (const message of received.messages()) {
      if (message[0] === KIND.manifest) part = "manifest";
      if (message[0] === KIND.data) yield { part, bytes: message.subarray(1) };
    }
  } finally {
    // Ends the backup at the server too, if it is not complete.
    received.close();
    await client.end().catch(() => undefined);
  }
}

/** The query of a base backup: a queue of its messages, which holds the server up when it is full. */
class ReceivedBackup implements pg.Submittable {
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #connection: pg.Connection | undefined;
  #ended: { error?: Error } | undefined;
  #wake: () => void = () => undefined;

  submit(connection: pg.Connection): void {
    this.#connection = connection;
    connection.query(BASE_BACKUP);
  }

  async *messages(): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      const message = this.#waiting.shift();
      if (message !== undefined) {
        this.#waitingBytes -= message.length;
        if (this.#waitingBytes < WAITING_BYTES_MAX) this.#connection?.stream.resume();
        yield message;
      } else if (this.#ended?.error) throw this.#ended.error;
      else if (this.#ended) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  close(): void {
    if (this.#ended === undefined) this.#connection?.stream.destroy();
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    // The driver uses the buffer again.
    this.#waiting.push(Buffer.from(chunk));
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes >= WAITING_BYTES_MAX) this.#connection?.stream.pause();
    this.#wake();
  }

  handleError(error: Error): void {
    this.#end({ error });
  }

  handleReadyForQuery(): void {
    this.#end({});
  }

  /** The positions of beginning and end, which the archive holds too. */
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}

  #end(how: { error?: Error }): void {
    this.#ended ??= how;
    this.#wake();
  }
}
