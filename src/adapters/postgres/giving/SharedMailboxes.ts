import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { findingsOf } from "../../../ports/kernel/Finding.ts"

interface Sharing {
  readonly slug: string
  readonly ids: ReadonlyArray<string>
  readonly emails: ReadonlyArray<string>
}

const donors = findingsOf("donors")

/** As many mailboxes are named by one look. */
const named = 100

const writtenAs = (email: string) => email.trim().toLowerCase()

/**
 * Donors whose addresses are written differently and lead to one mailbox. Nobody is merged by it: a gift of the address goes to
 * the oldest of them, and whether they are one person is for staff to say.
 */
export const lookAtMailboxes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<Sharing>`
    SELECT o.slug, array_agg(t.id ORDER BY t.created_at, t.id) AS ids, array_agg(t.email) AS emails
    FROM (
      SELECT DISTINCT u.organisation_id, u.email_key FROM /* every organisation */ donors AS u
      WHERE u.email ~ '[^ -~]' AND u.archived_at IS NULL
    ) AS s
    JOIN donors AS t ON t.organisation_id = s.organisation_id AND t.email_key = s.email_key
    JOIN organisations AS o ON o.id = t.organisation_id
    WHERE t.archived_at IS NULL
    GROUP BY o.slug, t.organisation_id, t.email_key HAVING count(DISTINCT t.email) > 1
    ORDER BY o.slug, min(t.created_at) LIMIT ${named}`
  return found
    .filter(({ emails }) => new Set(emails.map(writtenAs)).size > 1)
    .map(({ ids, slug }) =>
      donors.warning(
        `${ids.join(", ")} of ${slug} have one mailbox, written differently: its gifts go to the first. If they are one person, merge them: almoner donor merge.`
      )
    )
}).pipe(Effect.orDie)
