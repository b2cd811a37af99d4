import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Whom a mail goes to, where its subject does not say so. */
export const mailRecipients = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE mails ADD COLUMN recipient_id text COLLATE "C" REFERENCES users (id)`
})
