import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Exit } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { donorWords } from "../../src/adapters/postgres/migrations/0016_donor_words.ts"
import type { Donor } from "../../src/domain/giving/Donor.ts"
import { soughtWordsOf } from "../../src/domain/giving/SearchWords.ts"
import type { OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { DonorStore, Transaction } from "../../src/ports.ts"
import { donorOf, newOrganisation, queryOf } from "../../src/testing/conformance/Records.ts"
import { layerFresh } from "../support/FreshDatabase.ts"
import { live, withFresh } from "../support/Steps.ts"
import { databases, storesOn, twoPrograms } from "./PostgresStores.ts"

/** The words of a donor as the version before made them. */
const earlierWords = ({ email, first_name, last_name, organisation_name }: Donor): ReadonlyArray<string> => [
  ...new Set(
    [first_name, last_name, organisation_name, email]
      .filter((each) => each !== null)
      .flatMap((each) => each.normalize("NFKC").toLowerCase().split(/\s+/u))
  )
]

/** Writes a donor's words as the version before did, which knows nothing of what they are made of. */
const writeEarlier = Effect.fnUntraced(function* (donor: Donor) {
  const sql = yield* SqlClient.SqlClient
  const { id, last_name, organisation_id, profile_revision } = donor
  yield* sql`
    UPDATE donors SET last_name = ${last_name}, profile_revision = ${profile_revision}
    WHERE organisation_id = ${organisation_id} AND id = ${id}`
  yield* sql`DELETE FROM donor_words WHERE organisation_id = ${organisation_id} AND donor_id = ${id}`
  yield* sql`
    INSERT INTO donor_words SELECT ${organisation_id}, ${id}, word FROM unnest(${earlierWords(donor)}::text[]) AS word`
})

/** Donors of the version before. */
const earlierDonors = Effect.fnUntraced(function* (organisation_id: OrganisationId, count: number) {
  const sql = yield* SqlClient.SqlClient
  const store = yield* DonorStore
  const made = yield* Effect.forEach(
    Array.from({ length: count }, (_, n) => n),
    Effect.fnUntraced(function* (n: number) {
      const donor = yield* donorOf(organisation_id, { last_name: `Núñez-O'Brien${n}`, email: `n.${n}@example.org` })
      yield* store.insert(donor)
      yield* writeEarlier(donor)
      return donor
    })
  )
  yield* sql`UPDATE donors SET words_revision = NULL WHERE organisation_id = ${organisation_id}`
  return made
})

const found = Effect.fnUntraced(function* (organisation_id: OrganisationId, search: string) {
  const page = yield* (yield* DonorStore).list(organisation_id, queryOf({ words: soughtWordsOf(search), limit: 100 }))
  return page.data.map(({ id }) => id).toSorted()
})

const reindex = (limit: number) => DonorStore.use((store) => store.reindex(limit))

const idsOf = (donors: ReadonlyArray<Donor>) => donors.map(({ id }) => id).toSorted()

describe.each(databases)("words of the version before, in %s", (_name, database) => {
  const { live } = withFresh(storesOn(database))

  live("are made anew after an upgrade, slice by slice, of all organisations, and stay", function* () {
    const sql = yield* SqlClient.SqlClient
    const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
    const [mine, theirs] = [yield* earlierDonors(id, 7), yield* earlierDonors(other.id, 3)]
    yield* sql`ALTER TABLE donors DROP COLUMN words_revision`
    yield* donorWords
    const before = yield* sql`SELECT to_jsonb(t) - 'words_revision' AS row FROM donors AS t ORDER BY id`
    assert.deepStrictEqual(yield* found(id, "obrien"), [])
    assert.deepStrictEqual([yield* reindex(4), yield* reindex(4)], [4, 4])
    assert.lengthOf([...(yield* found(id, "obrien")), ...(yield* found(other.id, "obrien"))], 8)
    assert.deepStrictEqual([yield* reindex(4), yield* reindex(4)], [2, 0])
    for (const search of ["nunez", "OBRIEN", "brien", "Núñez-O’Brien", "example", "@example.org"]) {
      assert.deepStrictEqual(yield* found(id, search), idsOf(mine), search)
    }
    assert.deepStrictEqual(yield* found(other.id, "nunez"), idsOf(theirs))
    assert.lengthOf(yield* sql`SELECT FROM donor_words WHERE word LIKE '%''%' OR word LIKE '%@%'`, 0)
    assert.deepStrictEqual(
      yield* sql`SELECT to_jsonb(t) - 'words_revision' AS row FROM donors AS t ORDER BY id`,
      before
    )
  })

  live("go on where a crash left them", function* () {
    const transaction = yield* Transaction
    const { id } = yield* newOrganisation()
    const donors = yield* earlierDonors(id, 5)
    assert.strictEqual(yield* reindex(2), 2)
    const crashed = yield* Effect.exit(transaction.run(Effect.andThen(reindex(2), Effect.die("crash"))))
    assert.isTrue(Exit.isFailure(crashed))
    assert.lengthOf(yield* found(id, "obrien"), 2)
    assert.deepStrictEqual([yield* reindex(2), yield* reindex(2), yield* reindex(2)], [2, 1, 0])
    assert.deepStrictEqual(yield* found(id, "obrien"), idsOf(donors))
  })

  live("that the version before writes beside this one are made anew, too", function* () {
    const store = yield* DonorStore
    const { id } = yield* newOrganisation()
    const donor = yield* donorOf(id, { last_name: "Ibáñez" })
    yield* store.insert(donor)
    assert.strictEqual(yield* reindex(10), 0)
    yield* writeEarlier({ ...donor, last_name: "Peña", profile_revision: donor.profile_revision + 1 })
    assert.deepStrictEqual(yield* found(id, "pena"), [])
    assert.deepStrictEqual([yield* reindex(10), yield* reindex(10)], [1, 0])
    assert.deepStrictEqual(yield* found(id, "pena"), [donor.id])
    assert.deepStrictEqual(yield* found(id, "ibanez"), [])
  })

  live("of a donor that changes between reading and writing are those of the change", function* () {
    const store = yield* DonorStore
    const { id } = yield* newOrganisation()
    const [first, second] = yield* earlierDonors(id, 2)
    if (first === undefined || second === undefined) return
    const changed = { ...first, last_name: "Gómez", profile_revision: first.profile_revision + 1 }
    let statements = 0
    const meanwhile: Statement.Transformer = (statement) =>
      Effect.gen(function* () {
        statements += 1
        if (statements === 2) yield* store.update(changed)
        return statement
      })
    const written = yield* Effect.provideService(reindex(10), Statement.CurrentTransformer, meanwhile)
    assert.strictEqual(written, 1)
    assert.deepStrictEqual(yield* found(id, "gomez"), [first.id])
    assert.deepStrictEqual(yield* found(id, "nunez"), [second.id])
    assert.strictEqual(yield* reindex(10), 0)
  })
})

describe("words of the version before", () => {
  withFresh(storesOn(layerFresh)).live("that somebody holds are not waited for, and come the next time", function* () {
    const store = yield* DonorStore
    const transaction = yield* Transaction
    const { id } = yield* newOrganisation()
    const donors = yield* earlierDonors(id, 3)
    const [held, done] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const hold = transaction.run(
      Effect.gen(function* () {
        for (const donor of donors.slice(0, 1)) yield* store.findForUpdate(id, donor.id)
        yield* Deferred.succeed(held, undefined)
        yield* Deferred.await(done)
      })
    )
    const reindexed = Effect.gen(function* () {
      yield* Deferred.await(held)
      const count = yield* reindex(10)
      yield* Deferred.succeed(done, undefined)
      return count
    })
    const [, count] = yield* Effect.all([hold, reindexed], { concurrency: "unbounded" })
    assert.strictEqual(count, 2)
    assert.strictEqual(yield* reindex(10), 1)
    assert.deepStrictEqual(yield* found(id, "obrien"), idsOf(donors))
  })

  live("are made anew once by programs that do it at the same time", function* () {
    const [first, second] = yield* twoPrograms
    const { id, donors } = yield* Effect.gen(function* () {
      const organisation = yield* newOrganisation()
      return { id: organisation.id, donors: yield* earlierDonors(organisation.id, 60) }
    }).pipe(Effect.provide(first))
    // One that finds all in the other's hands comes again.
    const all = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const stale = sql`SELECT FROM donors WHERE words_revision IS DISTINCT FROM profile_revision`
      let total = 0
      while ((yield* stale).length > 0) total += yield* reindex(5)
      return total
    })
    const counts = yield* Effect.all(
      [first, second].map((program) => Effect.provide(all, program)),
      { concurrency: "unbounded" }
    )
    assert.strictEqual(
      counts.reduce((total, count) => total + count, 0),
      donors.length
    )
    assert.deepStrictEqual(yield* Effect.provide(found(id, "brien"), second), idsOf(donors))
  })
})
