import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The recipient of a mail whose subject does not name one. */
export const mailRecipients = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE mails ADD COLUMN recipient_id text COLLATE "C" REFERENCES users (id)`
})
