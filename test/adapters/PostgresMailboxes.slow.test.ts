import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { lookAtMailboxes } from "../../src/adapters/postgres/giving/SharedMailboxes.ts"
import { mailboxes } from "../../src/adapters/postgres/migrations/0036_mailboxes.ts"
import { DonorStore } from "../../src/ports/giving/DonorStore.ts"
import { donorOf, newOrganisation, queryOf } from "../../src/testing/conformance/Records.ts"
import { withFresh } from "../support/Steps.ts"
import { databases, storesOn } from "./PostgresStores.ts"

const written = ["info@b\u00fccher.example", "Info@xn--bcher-kva.example", "INFO@XN--bcher-kva.EXAMPLE", "ｋ@b.org"]

describe.each(databases)("mailboxes of %s that an earlier version stored", (_name, database) => {
  const { live } = withFresh(storesOn(database))

  live("get their keys, those who share one are named, and whoever was merged is known", function* () {
    const sql = yield* SqlClient.SqlClient
    const store = yield* DonorStore
    const { id, slug } = yield* newOrganisation()
    const other = yield* newOrganisation()
    const donors = yield* Effect.forEach([...written, "k@b.org", "王@b.org"], (email, at) =>
      Effect.tap(donorOf(id, { email, last_name: at === 5 ? "王小明" : "Byron" }), store.insert)
    )
    yield* store.insert(yield* donorOf(other.id, { email: "info@b\u00fccher.example" }))
    const [first, second, third, wide, plain, wang] = donors.map((donor) => donor.id)
    yield* sql`UPDATE donors SET email_key = lower(email)`
    yield* sql`UPDATE donors SET archived_at = now() WHERE id = ${wang}`
    yield* sql`DELETE FROM donor_words WHERE word <> 'byron'`
    yield* sql`
      INSERT INTO events (organisation_id, id, type, occurred_at, created_at, body)
      VALUES (${id}, 'evt_1', 'donor.merged', now(), now(), ${JSON.stringify({ data: { id: plain, merged_donor_id: wang } })})`
    yield* sql`ALTER TABLE donors DROP COLUMN merged_into_donor_id`
    yield* mailboxes
    const found = yield* store.list(id, queryOf({ words: ["小明"], archived: true }))
    assert.deepStrictEqual(found.data, [])
    assert.strictEqual(yield* store.reindex(100), 2)
    const [merged] = (yield* store.list(id, queryOf({ words: ["小明"], archived: true }))).data
    assert.deepStrictEqual([merged?.id, merged?.merged_into_donor_id], [wang, plain])
    const said = (yield* lookAtMailboxes).map(({ message }) => message)
    assert.lengthOf(said, 2)
    for (const ids of [
      [first, second, third],
      [wide, plain]
    ]) {
      assert.isTrue(
        said.some((message) => message.startsWith(`${ids.toSorted().join(", ")} of ${slug} have one mailbox`)),
        said.join()
      )
    }
  })
})
