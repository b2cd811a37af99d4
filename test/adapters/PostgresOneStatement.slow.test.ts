import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import * as EmbeddedDatabase from "../../src/adapters/postgres/embedded/EmbeddedDatabase.ts"
import type { AuditEntry } from "../../src/domain/access/Audit.ts"
import type { IdempotencyScope } from "../../src/domain/access/Idempotency.ts"
import { type Donor, eventCore } from "../../src/domain/giving/Donor.ts"
import { CalendarDate, firstDay, lastDay } from "../../src/domain/kernel/CalendarDate.ts"
import { AuditEntryId, DonorId, EventId, idPrefixes, type OrganisationId } from "../../src/domain/kernel/Ids.ts"
import * as Event from "../../src/domain/outbox/Event.ts"
import * as Ports from "../../src/ports.ts"
import * as Records from "../../src/testing/conformance/Records.ts"
import { layerFresh } from "../support/FreshDatabase.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { cases } from "../support/Rounds.ts"
import { live, withFresh } from "../support/Steps.ts"
import { storesOn, twoPrograms } from "./PostgresStores.ts"

const donorsThere = 2

/** Something that a unit of work does. */
type Step =
  | { readonly does: "audits" | "births" | "reads" | "tells"; readonly donor: number }
  | { readonly does: "changes" | "changes twice" | "looks"; readonly donor: number }
  | { readonly does: "inside"; readonly steps: ReadonlyArray<Step>; readonly fails: boolean }

interface Unit {
  /** Null for a unit of work without a key. */
  readonly key: number | null
  readonly body: string
  readonly steps: ReadonlyArray<Step>
  readonly ends: "breaks" | "forgets" | "keeps" | "refuses"
}

const donor = fc.nat({ max: donorsThere })

const { steps } = fc.letrec<{ readonly step: Step; readonly steps: ReadonlyArray<Step> }>((tie) => ({
  step: fc.oneof(
    { maxDepth: 2, depthSize: "small" },
    {
      weight: 6,
      arbitrary: fc.record({
        does: fc.constantFrom("audits", "births", "changes", "changes twice", "looks", "reads", "tells"),
        donor
      })
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("inside"), steps: tie("steps"), fails: fc.boolean() }) }
  ),
  steps: fc.array(tie("step"), { maxLength: 5 })
}))

const unit: fc.Arbitrary<Unit> = fc.record({
  key: fc.option(fc.nat({ max: 3 })),
  body: fc.constantFrom("body", "body", "another"),
  steps,
  ends: fc.constantFrom("keeps", "keeps", "keeps", "forgets", "breaks", "refuses")
})

/** The records that the same units run on in both worlds, equal to the last letter. */
interface Beginning {
  readonly organisation_id: OrganisationId
  readonly donors: ReadonlyArray<Donor>
  readonly endpoint: Effect.Success<ReturnType<typeof Records.endpointOf>>
  readonly scopes: ReadonlyArray<IdempotencyScope>
}

const beginningOf = Effect.gen(function* () {
  const organisation_id = yield* Records.freshId("organisation")
  const beginning: Beginning = {
    organisation_id,
    donors: yield* Effect.all(Array.from({ length: donorsThere }, () => Records.donorOf(organisation_id))),
    endpoint: yield* Records.endpointOf(organisation_id, { event_types: ["donor.updated"] }),
    scopes: yield* Effect.all(Array.from({ length: 4 }, () => Records.scopeOf(organisation_id)))
  }
  return beginning
})

const begin = ({ donors, endpoint, organisation_id }: Beginning) =>
  Effect.gen(function* () {
    yield* (yield* Ports.OrganisationStore).insert(Records.organisationOf(organisation_id))
    yield* (yield* Ports.WebhookEndpointStore).insert(endpoint)
    yield* Effect.forEach(donors, (yield* Ports.DonorStore).insert, { discard: true })
  })

/** Ids that are made anew in the same order by each run, and differ in more than the last digit. */
const counting = (organisation_id: string, turn: number) => {
  let count = 0
  const [unit, tail] = [String(turn).padStart(3, "0"), organisation_id.slice(-16)]
  return (prefix: string) => `${prefix}_0${unit}${String(++count).padStart(6, "0")}${tail}`
}

const auditOf = (organisation_id: OrganisationId, subject_id: string, id: string, turn: number): AuditEntry => ({
  id: AuditEntryId.make(id),
  organisation_id,
  actor_type: "API_KEY",
  actor_id: "key",
  operation: "donors.update",
  subject_id,
  request_id: "req",
  created_at: Records.at(turn)
})

/** Runs the units one after the other; tells what each came to. */
const play = (beginning: Beginning, units: ReadonlyArray<Unit>, repeatable: boolean) =>
  Effect.gen(function* () {
    const transaction = yield* Ports.Transaction
    const keys = yield* Ports.IdempotencyStore
    const store = yield* Ports.DonorStore
    const outbox = yield* Ports.Outbox
    const audit = yield* Ports.AuditStore
    const { donors, organisation_id, scopes } = beginning

    const runUnit = ({ body, ends, key, steps }: Unit, turn: number) => {
      let idOf = counting(organisation_id, turn)
      const known = (index: number) =>
        donors[index]?.id ?? DonorId.make(`${idPrefixes.donor}_0${organisation_id.slice(-25)}`)
      const seen: Array<unknown> = []

      const take = (step: Step): Effect.Effect<void> =>
        Effect.gen(function* () {
          if (step.does === "inside") {
            const inside = Effect.andThen(
              Effect.forEach(step.steps, take),
              step.fails ? Effect.fail("refused") : Effect.void
            )
            yield* Effect.ignore(transaction.run(inside))
            return
          }
          const id = known(step.donor)
          if (step.does === "audits") {
            yield* audit.append(auditOf(organisation_id, id, idOf(idPrefixes.auditEntry), turn))
          } else if (step.does === "births") {
            yield* store.insert({
              ...(yield* Records.donorOf(organisation_id)),
              id: DonorId.make(idOf(idPrefixes.donor)),
              first_name: "Born"
            })
          } else if (step.does === "tells") {
            const data = { ...eventCore(yield* Records.donorOf(organisation_id, { id })), changed_fields: ["phone"] }
            yield* outbox.append(
              [1, 2].map(() =>
                Event.make({
                  id: EventId.make(idOf(idPrefixes.event)),
                  organisation_id,
                  type: "donor.updated",
                  occurred_at: Records.at(-turn - 500_000_000),
                  dedupe_key: id,
                  data
                })
              )
            )
          } else if (step.does === "looks") {
            seen.push(yield* store.find(organisation_id, id))
          } else {
            const found = yield* store.findForUpdate(organisation_id, id)
            seen.push(found)
            if (step.does === "reads" || Option.isNone(found)) return
            const changed = { ...found.value, profile_revision: found.value.profile_revision + 1 }
            yield* store.update({ ...changed, last_name: `Byron ${turn}` })
            if (step.does === "changes twice") yield* store.update({ ...changed, first_name: "Augusta" })
          }
        })

      const scope = key === null ? null : (scopes[key] ?? assert.fail("there is no such key"))
      const work = Effect.gen(function* () {
        const reservation = scope === null ? null : yield* keys.reserve(scope, [body], Records.at(turn))
        if (reservation !== null && reservation._tag !== "Run") return { reservation, seen: [] }
        yield* transaction.run(Effect.forEach(steps, take))
        if (ends === "breaks") return yield* Effect.die("broken")
        if (ends === "refuses") return yield* Effect.fail("refused")
        if (ends === "keeps" && scope !== null) {
          const answer = Records.answerOf(new TextEncoder().encode(`{"turn":${turn}}`))
          yield* keys.keep(scope, body, answer, { secret: turn % 2 === 0, now: Records.at(turn) })
        }
        return { reservation, seen: [...seen] }
      })
      // A unit that is run again begins anew.
      const anew = Effect.suspend(() => {
        seen.length = 0
        idOf = counting(organisation_id, turn)
        return work
      })
      return Effect.provideService(transaction.run(anew), Ports.Repeatable, repeatable)
    }

    const outcomes: Array<unknown> = []
    for (const [turn, each] of units.entries()) {
      const exit = yield* Effect.exit(runUnit(each, turn))
      outcomes.push(Exit.isSuccess(exit) ? exit.value : String(exit.cause.reasons.map(({ _tag }) => _tag)))
    }
    return outcomes
  })

/** Every row of the organisation, in every table; numbers of a sequence are taken by what is rolled back, too. */
const rowsOf = (organisation_id: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql<{ readonly table_name: string }>`
      SELECT c.table_name FROM information_schema.columns AS c
      JOIN information_schema.tables AS t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
      WHERE c.table_schema = 'public' AND c.column_name = 'organisation_id' AND t.table_type = 'BASE TABLE'
      ORDER BY c.table_name`
    const found: Array<readonly [string, string]> = []
    for (const { table_name } of tables) {
      const rows = yield* sql<{ readonly row: string }>`
        SELECT (to_jsonb(t) - 'number')::text AS row FROM ${sql(table_name)} AS t
        WHERE t.organisation_id = ${organisation_id} ORDER BY (to_jsonb(t) - 'number')::text`
      for (const { row } of rows) found.push([table_name, row])
    }
    return found
  })

/** A change of the first donor under a key, or none, with all that belongs to it; answers what became of the key. */
const keyedChange = (
  { donors, organisation_id, scopes }: Beginning,
  {
    afterReading = Effect.void,
    key,
    turn
  }: { readonly turn: number; readonly key: string | null; readonly afterReading?: Effect.Effect<void> }
) =>
  Effect.gen(function* () {
    const transaction = yield* Ports.Transaction
    const keys = yield* Ports.IdempotencyStore
    const store = yield* Ports.DonorStore
    const outbox = yield* Ports.Outbox
    const audit = yield* Ports.AuditStore
    const idOf = counting(organisation_id, turn)
    const id = donors[0]?.id ?? assert.fail("there is no donor")
    const scope = key === null ? null : { ...(scopes[0] ?? assert.fail("there is no key")), key }
    const work = Effect.gen(function* () {
      const { _tag } = scope === null ? { _tag: "Run" } : yield* keys.reserve(scope, ["body"], Records.at(0))
      if (_tag !== "Run") return _tag
      const found = Option.getOrThrow(yield* store.findForUpdate(organisation_id, id))
      yield* afterReading
      const changed = { ...found, profile_revision: found.profile_revision + 1, last_name: `Byron ${turn}` }
      yield* store.update(changed)
      const data = { ...eventCore(changed), changed_fields: ["last_name"] }
      yield* outbox.append([
        Event.make({
          id: EventId.make(idOf(idPrefixes.event)),
          organisation_id,
          type: "donor.updated",
          occurred_at: Records.at(turn),
          dedupe_key: String(turn),
          data
        })
      ])
      yield* audit.append(auditOf(organisation_id, id, idOf(idPrefixes.auditEntry), turn))
      if (scope === null) return _tag
      yield* keys.keep(scope, "body", Records.answerOf(new Uint8Array([123, 125])), {
        secret: false,
        now: Records.at(0)
      })
      return _tag
    })
    return yield* Effect.provideService(transaction.run(work), Ports.Repeatable, true)
  })

/** Asserts how many changes of the first donor there were, each with all that belongs to it, and how many kept answers. */
const left = (beginning: Beginning, counts: { readonly changes: number; readonly answers: number }) =>
  Effect.gen(function* () {
    const { donors, organisation_id } = beginning
    const donor = yield* (yield* Ports.DonorStore).find(organisation_id, donors[0]?.id ?? assert.fail())
    const rows = yield* rowsOf(organisation_id)
    const count = (table: string) => rows.filter(([name]) => name === table).length
    assert.deepStrictEqual(
      {
        changes: Option.getOrThrow(donor).profile_revision - 1,
        audited: count("audit_entries"),
        events: count("events"),
        deliveries: count("pending_deliveries"),
        answers: count("idempotency_records")
      },
      {
        changes: counts.changes,
        audited: counts.changes,
        events: counts.changes,
        deliveries: counts.changes,
        answers: counts.answers
      }
    )
  })

for (const [name, database, runs] of [
  ["a server", layerFresh, 60],
  ["the embedded database", EmbeddedDatabase.layerMemory, 40]
] as const) {
  describe(`a keyed unit of work on ${name}`, () => {
    live(
      "leaves the same rows as one statement and statement by statement, whatever it does and however it ends",
      function* () {
        const short = yield* Layer.build(Layer.fresh(storesOn(database)))
        const long = yield* Layer.build(Layer.fresh(storesOn(database)))
        const compare = (units: ReadonlyArray<Unit>) =>
          Effect.gen(function* () {
            const beginning = yield* beginningOf
            const world = (repeatable: boolean) =>
              Effect.gen(function* () {
                yield* begin(beginning)
                const outcomes = yield* play(beginning, units, repeatable)
                return { outcomes, rows: yield* rowsOf(beginning.organisation_id) }
              })
            const expected = yield* Effect.provide(world(false), long)
            const found = yield* Effect.provide(world(true), short)
            assert.deepStrictEqual(found, expected)
          })
        yield* Effect.promise(() =>
          forEveryAsyncWith({ numRuns: cases(runs) }, fc.array(unit, { minLength: 1, maxLength: 6 }), (units) =>
            Effect.runPromise(compare(units))
          )
        )
      },
      120_000
    )

    const world = Effect.map(Layer.build(Layer.fresh(storesOn(database))), (one) => [one, one] as const)
    const programs = name === "a server" ? twoPrograms : world

    live("of many Records.at the same moment loses no change of the others, in one program and in two", function* () {
      const both = yield* programs
      const beginning = yield* beginningOf
      yield* Effect.provide(begin(beginning), both[0])
      const count = 24
      const answers = yield* Effect.forEach(
        Array.from({ length: count }, (_, turn) => turn),
        (turn) => {
          const key = turn % 4 < 2 ? `key ${turn}` : null
          return Effect.provide(keyedChange(beginning, { turn, key }), both[turn % 2] ?? both[0])
        },
        { concurrency: 12 }
      )
      assert.deepStrictEqual(new Set(answers), new Set(["Run"]))
      yield* Effect.provide(left(beginning, { changes: count, answers: count / 2 }), both[0])
    })

    live(
      "of equal keys Records.at the same moment is done once; the others are told Records.at once, or answered the same",
      function* () {
        const both = yield* programs
        const beginning = yield* beginningOf
        yield* Effect.provide(begin(beginning), both[0])
        const answers = yield* Effect.forEach(
          Array.from({ length: 30 }, (_, turn) => turn),
          (turn) => Effect.provide(keyedChange(beginning, { turn, key: "key" }), both[turn % 2] ?? both[0]),
          { concurrency: 15 }
        )
        assert.strictEqual(answers.filter((answer) => answer === "Run").length, 1)
        assert.includeMembers(["Run", "InFlight", "Replay"], answers)
        yield* Effect.provide(left(beginning, { changes: 1, answers: 1 }), both[0])
      }
    )

    const onDatabase = withFresh(storesOn(database))

    onDatabase.live("runs again when what it read is another's by the time that it writes", function* () {
      const transaction = yield* Ports.Transaction
      const store = yield* Ports.DonorStore
      const beginning = yield* beginningOf
      yield* begin(beginning)
      const { donors, organisation_id } = beginning
      const id = donors[0]?.id ?? assert.fail()
      let runs = 0
      const overtake = Effect.suspend(() => {
        runs++
        const between = Effect.flatMap(store.findForUpdate(organisation_id, id), (found) =>
          Option.isSome(found) ? store.update({ ...found.value, occupation: "first" }) : Effect.void
        )
        return runs === 1 ? Effect.asVoid(Effect.promise(() => elsewhere(transaction.run(between)))) : Effect.void
      })
      const services = yield* Effect.context<Ports.Transaction | Ports.DonorStore>()
      const elsewhere = <A>(effect: Effect.Effect<A, never, never>) => Effect.runPromiseWith(services)(effect)
      assert.strictEqual(yield* keyedChange(beginning, { turn: 1, key: "key", afterReading: overtake }), "Run")
      assert.strictEqual(runs, 2)
      const found = Option.getOrThrow(yield* store.find(organisation_id, id))
      assert.deepStrictEqual([found.occupation, found.profile_revision], ["first", 2])
      yield* left(beginning, { changes: 1, answers: 1 })
    })

    onDatabase.live(
      "runs again when what it holds by a change was held meanwhile, be it there already or not",
      function* () {
        const transaction = yield* Ports.Transaction
        const keys = yield* Ports.IdempotencyStore
        const disclosures = yield* Ports.DisclosureStore
        const gifts = yield* Ports.DonationStore
        const services = yield* Effect.context<Ports.DisclosureStore | Ports.DonationStore | Ports.Transaction>()
        const beginning = yield* beginningOf
        yield* begin(beginning)
        const { donors, organisation_id, scopes } = beginning
        const donor = donors[0] ?? assert.fail()
        const code = yield* Records.revenueCodeOf(organisation_id, { jurisdiction: "AU" })
        yield* (yield* Ports.RevenueCodeStore).insert(code)
        const own = { revenue_code_id: code.id }
        const span = {
          organisation_id,
          donor_id: donor.id,
          jurisdiction: "AU",
          starts_on: CalendarDate.make("2040-01-01")
        }
        const count = Effect.gen(function* () {
          yield* disclosures.hold(span)
          const found = yield* disclosures.giftsOf(organisation_id, donor.id, firstDay, lastDay)
          return found.length
        })
        const give = Effect.flatMap(Records.donationOf(donor, own), gifts.insert)
        const seen: Array<number> = []
        const keyed = (key: string) => {
          let runs = 0
          const work = Effect.gen(function* () {
            const { _tag } = yield* keys.reserve({ ...(scopes[0] ?? assert.fail()), key }, ["body"], Records.at(0))
            assert.strictEqual(_tag, "Run")
            seen.push(yield* count)
            runs += 1
            const another = transaction.run(Effect.andThen(count, give))
            if (runs === 1) yield* Effect.promise(() => Effect.runPromiseWith(services)(another))
            yield* give
            const answer = Records.answerOf(new Uint8Array([123, 125]))
            yield* keys.keep({ ...(scopes[0] ?? assert.fail()), key }, "body", answer, {
              secret: false,
              now: Records.at(0)
            })
          })
          return Effect.provideService(transaction.run(work), Ports.Repeatable, true)
        }
        yield* keyed("not there")
        yield* keyed("there")
        assert.deepStrictEqual(seen, [0, 1, 2, 3])
        assert.strictEqual(yield* transaction.run(count), 4)
      }
    )

    onDatabase.live("that breaks Records.at its last write leaves nothing, and its key free", function* () {
      const sql = yield* SqlClient.SqlClient
      const beginning = yield* beginningOf
      yield* begin(beginning)
      const before = yield* rowsOf(beginning.organisation_id)
      yield* sql`
          CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`
      for (const table of ["audit_entries", "events", "pending_deliveries", "idempotency_records", "donor_words"]) {
        yield* sql`CREATE TRIGGER refuse BEFORE INSERT ON ${sql(table)} FOR EACH ROW EXECUTE FUNCTION refuse()`
        const exit = yield* Effect.exit(keyedChange(beginning, { turn: 1, key: "key" }))
        assert.isTrue(Exit.isFailure(exit), table)
        assert.deepStrictEqual(yield* rowsOf(beginning.organisation_id), before)
        yield* sql`DROP TRIGGER refuse ON ${sql(table)}`
      }
      assert.strictEqual(yield* keyedChange(beginning, { turn: 1, key: "key" }), "Run")
      yield* left(beginning, { changes: 1, answers: 1 })
    })
  })
}
