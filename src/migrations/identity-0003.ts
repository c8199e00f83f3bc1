import { Migration } from "@mikro-orm/migrations";

/** Core tokens of internal teams, and the announced dates of the API's versions. */
export class Identity0003 extends Migration {
  up(): void {
    this.addSql(`CREATE TABLE core_token (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      permissions text[] NOT NULL,
      token_hash text COLLATE "C" NOT NULL UNIQUE,
      last_four text NOT NULL,
      created_at timestamptz NOT NULL,
      revoked_at timestamptz
    )`);
    this.addSql(`CREATE TABLE api_version (
      name text COLLATE "C" PRIMARY KEY,
      deprecated_on date NOT NULL,
      sunset_on date NOT NULL CHECK (sunset_on >= deprecated_on + interval '12 months')
    )`);
  }
}
