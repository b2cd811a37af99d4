import { Deferred, Effect, Exit, Fiber, Option } from "effect"
import fc from "fast-check"
import { DonorId, type OrganisationId, RevenueCodeId } from "../../domain/kernel/Ids.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { RevenueCodeStore } from "../../ports/giving/RevenueCodeStore.ts"
import type { RecordStore } from "../../ports/kernel/RecordStore.ts"
import { Repeatable, Transaction } from "../../ports/kernel/Transaction.ts"
import { assert } from "./Assert.ts"
import { donorOf, freshId, queryOf, revenueCodeOf } from "./Records.ts"
import {
  type Check,
  failBlocked,
  inTransaction,
  lawsOf,
  none,
  runsOf,
  same,
  type Thoroughness,
  together,
  transactionOf
} from "./Suite.ts"

const { law, must, property } = lawsOf(Transaction)

/** Named records, in a store that takes part in transactions, by which transactions are observed. */
export interface TransactionRecords<R> {
  /** Stores a new record; its id. */
  readonly insert: (organisation_id: OrganisationId, name: string) => Effect.Effect<string, never, R>
  readonly find: (organisation_id: OrganisationId, id: string) => Effect.Effect<Option.Option<string>, never, R>
  /** The record's name, held until the transaction ends. */
  readonly hold: (organisation_id: OrganisationId, id: string) => Effect.Effect<string, never, R>
  readonly rename: (organisation_id: OrganisationId, id: string, name: string) => Effect.Effect<void, never, R>
  /** The names of all records of the organisation, in any order. */
  readonly names: (organisation_id: OrganisationId) => Effect.Effect<ReadonlyArray<string>, never, R>
}

const recordsOf = <A extends { readonly id: string }, R>(
  store: Effect.Effect<RecordStore<A, A["id"], unknown>, never, R>,
  form: {
    readonly id: (text: string) => A["id"]
    readonly make: (organisation_id: OrganisationId, name: string) => Effect.Effect<A>
    readonly name: (record: A) => string | null
    readonly renamed: (record: A, name: string) => A
  }
): TransactionRecords<R> => {
  const nameOf = (record: A): string => form.name(record) ?? ""
  return {
    insert: Effect.fnUntraced(function* (organisation_id, name) {
      const record = yield* form.make(organisation_id, name)
      yield* Effect.orDie((yield* store).insert(record))
      return record.id
    }),
    find: (organisation_id, id) =>
      Effect.flatMap(store, (each) => Effect.map(each.find(organisation_id, form.id(id)), Option.map(nameOf))),
    hold: (organisation_id, id) =>
      Effect.flatMap(store, (each) =>
        Effect.map(each.findForUpdate(organisation_id, form.id(id)), (found) => nameOf(Option.getOrThrow(found)))
      ),
    rename: Effect.fnUntraced(function* (organisation_id, id, name) {
      const each = yield* store
      const found = Option.getOrThrow(yield* each.find(organisation_id, form.id(id)))
      yield* Effect.orDie(each.update(form.renamed(found, name)))
    }),
    names: (organisation_id) =>
      Effect.flatMap(store, (each) =>
        Effect.map(Effect.orDie(each.list(organisation_id, queryOf({ archived: true }))), ({ data }) =>
          data.map(nameOf)
        )
      )
  }
}

/** Donors, by their last names. */
export const donorRecords: TransactionRecords<DonorStore> = recordsOf(DonorStore, {
  id: (text) => DonorId.make(text),
  make: (organisation_id, last_name) => donorOf(organisation_id, { last_name }),
  name: (donor) => donor.last_name,
  renamed: (donor, last_name) => ({ ...donor, last_name })
})

/** Revenue codes, by their descriptions. */
export const revenueCodeRecords: TransactionRecords<RevenueCodeStore> = recordsOf(RevenueCodeStore, {
  id: (text) => RevenueCodeId.make(text),
  make: (organisation_id, description) =>
    Effect.flatMap(freshId("request"), (code) => revenueCodeOf(organisation_id, { code, description })),
  name: (code) => code.description,
  renamed: (code, description) => ({ ...code, description })
})

/** Transactions under test. */
export interface TransactionSubject<R> extends Thoroughness {
  /** Records of a store that takes part in the transactions, for the checks to write. */
  readonly records: TransactionRecords<R>
}

/** The ports that the checks use beside the store of the records. */
type Needs = Transaction | OrganisationStore

const isAtomic =
  "Transaction.run MUST commit all writes of the effect when it succeeds and none when it fails, dies or is interrupted"
const isNested = "Transaction.run MUST be a savepoint"
const isAfterwards =
  "Transaction.afterCommit MUST run the effect once the outermost transaction has committed, and never when it was"

const endings = ["succeeds", "fails", "dies", "is interrupted"] as const

/** The steps of a transaction, in order. */
type Step =
  | { readonly _tag: "Write"; readonly name: string }
  | { readonly _tag: "AfterCommit"; readonly name: string }
  | { readonly _tag: "Run"; readonly steps: ReadonlyArray<Step>; readonly ending: (typeof endings)[number] }

const name = fc.stringMatching(/^[a-z]{8}$/)

const { run: runs } = fc.letrec<{ run: Extract<Step, { _tag: "Run" }>; step: Step }>((tie) => ({
  step: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record({ _tag: fc.constant("Write" as const), name }),
    fc.record({ _tag: fc.constant("AfterCommit" as const), name }),
    tie("run")
  ),
  run: fc.record({
    _tag: fc.constant("Run" as const),
    steps: fc.array(tie("step"), { maxLength: 4 }),
    ending: fc.constantFrom(...endings)
  })
}))

/** The traces of a transaction: its writes and the effects after its commit. */
interface Left {
  readonly written: ReadonlyArray<string>
  readonly after: ReadonlyArray<string>
}

const nothing: Left = { written: [], after: [] }

const leftOf = ({ ending, steps }: Extract<Step, { _tag: "Run" }>): Left => {
  if (ending !== "succeeds") return nothing
  return steps.reduce<Left>((left, step) => {
    const added =
      step._tag === "Run"
        ? leftOf(step)
        : step._tag === "Write"
          ? { written: [step.name], after: [] }
          : { written: [], after: [step.name] }
    return { written: left.written.concat(added.written), after: left.after.concat(added.after) }
  }, nothing)
}

const perform = <R>(
  records: TransactionRecords<R>,
  organisation_id: OrganisationId,
  run: Extract<Step, { _tag: "Run" }>,
  after: Array<string>
): Effect.Effect<void, never, Transaction | R> =>
  Effect.gen(function* () {
    const transaction = yield* Transaction
    const steps = Effect.forEach(run.steps, (step) => {
      if (step._tag === "Run") return perform(records, organisation_id, step, after)
      if (step._tag === "AfterCommit") return transaction.afterCommit(Effect.sync(() => void after.push(step.name)))
      return Effect.asVoid(records.insert(organisation_id, step.name))
    })
    const ends: Record<(typeof endings)[number], Effect.Effect<void, string>> = {
      succeeds: Effect.void,
      fails: Effect.fail("refused"),
      dies: Effect.die("broken"),
      "is interrupted": Effect.interrupt
    }
    yield* Effect.exit(inTransaction(Effect.andThen(steps, ends[run.ending])))
  })

const atomicity = <R>({ records, ...given }: TransactionSubject<R>): ReadonlyArray<Check<Needs | R>> => [
  property(
    "what stays is exactly what succeeded up to the outermost transaction, and its effects run after it",
    [isAtomic, isNested, isAfterwards],
    runsOf(given),
    runs,
    function* (run, { id }) {
      const after: Array<string> = []
      yield* perform(records, id, run, after)
      const left = leftOf(run)
      same((yield* records.names(id)).toSorted(), left.written.toSorted())
      same(after, [...left.after])
    }
  ),

  must(
    "what failed inside a transaction that goes on is gone, and what was written before and after it stays",
    [isAtomic, isNested, isAfterwards],
    function* ({ id }) {
      const after: Array<string> = []
      const both = (name: string): ReadonlyArray<Step> => [
        { _tag: "Write", name },
        { _tag: "AfterCommit", name }
      ]
      const inside = endings.flatMap(
        (ending): ReadonlyArray<Step> => [
          {
            _tag: "Run",
            ending,
            steps: [...both(`in ${ending}`), { _tag: "Run", ending: "succeeds", steps: both(`deep in ${ending}`) }]
          },
          ...both(`after ${ending}`)
        ]
      )
      yield* perform(records, id, { _tag: "Run", ending: "succeeds", steps: [...both("before"), ...inside] }, after)
      const stays = ["before", "in succeeds", "deep in succeeds", ...endings.map((ending) => `after ${ending}`)]
      same((yield* records.names(id)).toSorted(), stays.toSorted())
      same(after.toSorted(), stays.toSorted())
    }
  ),

  law("the answer and the failure of the effect are the transaction's", function* () {
    assert.strictEqual(yield* inTransaction(Effect.succeed(7)), 7)
    assert.strictEqual(yield* Effect.flip(inTransaction(Effect.fail("refused"))), "refused")
    assert.strictEqual(yield* Effect.flip(inTransaction(inTransaction(Effect.fail("inside")))), "inside")
  }),

  must(
    "a transaction that is interrupted leaves nothing, and lets others go on",
    [isAtomic],
    function* ({ store, id }) {
      const written = yield* Deferred.make<void>()
      let ran = false
      const fiber = yield* transactionOf(function* () {
        yield* records.insert(id, "lost")
        yield* store.afterCommit(
          Effect.sync(() => {
            ran = true
          })
        )
        yield* Deferred.succeed(written, undefined)
        return yield* Effect.never
      }).pipe(Effect.forkChild)
      yield* Deferred.await(written)
      yield* Fiber.interrupt(fiber)
      same(yield* records.names(id), [])
      assert.isFalse(ran)
      yield* failBlocked(inTransaction(records.insert(id, "kept")))
      same(yield* records.names(id), ["kept"])
    }
  ),

  law("a write outside of any transaction is committed by itself", function* ({ id }) {
    const record = yield* records.insert(id, "kept")
    const exit = yield* Effect.exit(inTransaction(Effect.fail("refused")))
    assert.isTrue(Exit.isFailure(exit))
    same(yield* records.find(id, record), Option.some("kept"))
  })
]

const isolation = <R>({ records }: TransactionSubject<R>): ReadonlyArray<Check<Needs | R>> => [
  must("a transaction sees its writes, and others only what is committed", [isAtomic], function* ({ id }) {
    const asked = yield* Deferred.make<string>()
    // Begun outside the transaction. Where there is only one session, its answer comes when that is free again.
    const reader = yield* Effect.flatMap(Deferred.await(asked), (record) => records.find(id, record)).pipe(
      Effect.forkChild
    )
    const refused = yield* transactionOf(function* () {
      const record = yield* records.insert(id, "mine")
      yield* Deferred.succeed(asked, record)
      yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow)
      same(yield* records.find(id, record), Option.some("mine"))
      return yield* Effect.fail("refused")
    }).pipe(Effect.flip)
    assert.strictEqual(refused, "refused")
    none(yield* Fiber.join(reader))
  }),

  must(
    "an effect after the commit finds the writes, and may run a transaction",
    [isAfterwards],
    function* ({ store, id }) {
      // The effect that runs after the transaction must see nothing of it.
      const outside = yield* Effect.context<R>()
      let found: ReadonlyArray<string> = []
      yield* transactionOf(function* () {
        yield* records.insert(id, "first")
        yield* inTransaction(
          store.afterCommit(
            Effect.gen(function* () {
              found = yield* records.names(id)
              yield* store.run(records.insert(id, "second"))
            }).pipe(Effect.provideContext(outside))
          )
        )
        same(found, [], "before the outermost transaction committed")
      })
      same(found, ["first"])
      same((yield* records.names(id)).toSorted(), ["first", "second"])
    }
  )
]

const turns = <R>({ records }: TransactionSubject<R>): ReadonlyArray<Check<Needs | R>> => [
  ...[false, true].map((repeatable) =>
    must(
      `transactions that read and write the same record ${repeatable ? "and may run again are as if they went" : "go"} one after the other`,
      repeatable
        ? ["Repeatable MUST be as if all had been held from the reading on"]
        : ["RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends"],
      function* ({ id }) {
        const record = yield* records.insert(id, "0")
        const raise = transactionOf(function* () {
          const count = Number(yield* records.hold(id, record))
          yield* Effect.yieldNow
          yield* records.rename(id, record, `${count + 1}`)
        })
        yield* together(12, Effect.provideService(raise, Repeatable, repeatable))
        same(yield* records.find(id, record), Option.some("12"))
      }
    )
  ),

  law("a transaction interrupted while it waits keeps nobody from going on", function* ({ id }) {
    const record = yield* records.insert(id, "kept")
    const [held, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const hold = records.hold(id, record)
    const first = yield* hold.pipe(
      Effect.andThen(Deferred.succeed(held, undefined)),
      Effect.andThen(Deferred.await(go)),
      inTransaction,
      Effect.forkChild
    )
    yield* Deferred.await(held)
    const waiting = yield* inTransaction(Effect.andThen(hold, records.rename(id, record, "lost"))).pipe(
      Effect.forkChild
    )
    yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow)
    yield* Fiber.interrupt(waiting)
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.join(first)
    assert.strictEqual(yield* failBlocked(inTransaction(hold)), "kept")
  })
]

/** The laws of {@link Transaction}. */
export const transactions = <R>(subject: TransactionSubject<R>): ReadonlyArray<Check<Needs | R>> => [
  ...atomicity(subject),
  ...isolation(subject),
  ...turns(subject)
]
