import { Option, Schema } from "effect"
import type { DatabaseTrouble } from "../../../ports/kernel/DatabaseTrouble.ts"

/** The oldest version whose SQL the statements are written in. */
const oldestVersion = 15

/** A row that {@link kindQuery} answers. */
const KindRow = Schema.Struct({ told: Schema.String, number: Schema.Int, encoding: Schema.String })

/** What a server is, in words that others which speak its protocol answer, too. */
export const kindQuery = `
  SELECT version() AS told, current_setting('server_version_num')::int4 AS number,
    current_setting('server_encoding') AS encoding`

const decode = Schema.decodeUnknownOption(KindRow)

const refused = (code: string, reason: string, remedy: string): DatabaseTrouble => ({
  code,
  reason,
  remedy,
  passes: false
})

const takeAnother = `Set the address of a PostgreSQL server, version ${oldestVersion} or later.`

/** A server that speaks the protocol and is another database, or the console of a pooler. */
export const notPostgres = refused("not_postgresql", "it is not PostgreSQL", takeAnother)

/** What keeps Almoner from any use of this database; undefined where nothing does. */
export const troubleOfKind = (row: unknown): DatabaseTrouble | undefined => {
  const kind = decode(row)
  if (Option.isNone(kind) || !kind.value.told.startsWith("PostgreSQL ")) return notPostgres
  const { encoding, number } = kind.value
  const version = Math.floor(number / 10_000)
  if (version < oldestVersion) return refused("old_version", `it is PostgreSQL ${version}`, takeAnother)
  return encoding === "UTF8"
    ? undefined
    : refused(
        "wrong_encoding",
        `its encoding is ${encoding}, in which not every name can be written`,
        "Make a database with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0."
      )
}
