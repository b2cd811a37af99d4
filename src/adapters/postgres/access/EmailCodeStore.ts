import { Effect } from "effect"
import { EmailCode } from "../../../domain/access/EmailCode.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { EmailCodeStore } from "../../../ports/access/EmailCodeStore.ts"
import { nameIn, SchemaName } from "../connection/SchemaName.ts"
import { deleteOldest, insertRecord, storeFrom } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"

const rows = rowsOf(EmailCode)

export const layer = storeFrom(EmailCodeStore, function* (sql) {
  const schema = yield* SchemaName
  const columns = sql.literal(rows.columns("c"))
  /** Organisations are held before addresses, so that none wait in a circle. */
  const hold = (name: string) =>
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${nameIn(schema, `almoner code ${name}`)}, 0))`

  const add: EmailCodeStore["Service"]["add"] = Effect.fnUntraced(function* (code, since) {
    const { email_key, organisation_id } = code
    const from = new Date(since.epochMilliseconds)
    yield* hold(organisation_id)
    yield* hold(email_key)
    // Of a statement of its own, which sees whatever those before have committed.
    const added = yield* sql`
      ${insertRecord(sql, "email_codes", code)}
      WHERE (
        SELECT count(*) FROM /* every organisation */ email_codes AS c
        WHERE c.email_key = ${email_key} AND c.created_at > ${from}
      ) < ${Limits.emailCodesPerAddress}::int4 AND (
        SELECT count(*) FROM email_codes AS c
        WHERE c.organisation_id = ${organisation_id} AND c.created_at > ${from}
      ) < ${Limits.emailCodesPerOrganisation}::int4
      RETURNING id`
    return added.length > 0
  }, Effect.orDie)

  return {
    add,
    find: (organisation_id, id) =>
      rows.first(sql`
        SELECT ${columns} FROM email_codes AS c WHERE c.organisation_id = ${organisation_id} AND c.id = ${id}`),
    attempt: ({ email_key, organisation_id, subject }, since) =>
      rows.all(sql`
        UPDATE email_codes AS c SET tries = c.tries + 1
        WHERE c.organisation_id = ${organisation_id} AND c.email_key = ${email_key} AND c.subject = ${subject}
          AND c.created_at > ${new Date(since.epochMilliseconds)} AND c.tries < ${Limits.emailCodeTries}::int4
        RETURNING ${columns}`),
    trim: deleteOldest(sql, { table: "email_codes", at: "created_at" })
  }
})
