import { assert } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option } from "effect"
import fc from "fast-check"
import type { OrganisationId } from "../../domain/Ids.ts"
import { DonorStore } from "../../ports/DonorStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { at, donorOf, newOrganisation, queryOf } from "./Records.ts"
import { check, type It, none, same, unblocked } from "./Suite.ts"

const endings = ["succeeds", "fails", "dies", "is interrupted"] as const

/** What happens in a transaction, one after the other. */
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

/** What is left of a transaction: the writes and the effects after the commit. */
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

const perform = (
  organisation_id: OrganisationId,
  run: Extract<Step, { _tag: "Run" }>,
  after: Array<string>
): Effect.Effect<void, never, Transaction | DonorStore> =>
  Effect.gen(function* () {
    const donors = yield* DonorStore
    const transaction = yield* Transaction
    const steps = Effect.forEach(run.steps, (step) => {
      if (step._tag === "Run") return perform(organisation_id, step, after)
      if (step._tag === "AfterCommit") return transaction.afterCommit(Effect.sync(() => void after.push(step.name)))
      return Effect.flatMap(donorOf(organisation_id, { last_name: step.name }), donors.insert)
    })
    const ends: Record<(typeof endings)[number], Effect.Effect<void, string>> = {
      succeeds: Effect.void,
      fails: Effect.fail("refused"),
      dies: Effect.die("broken"),
      "is interrupted": Effect.interrupt
    }
    yield* Effect.exit(transaction.run(Effect.andThen(steps, ends[run.ending])))
  })

const namesOf = Effect.fnUntraced(function* (organisation_id: OrganisationId) {
  const donors = yield* DonorStore
  const page = yield* donors.list(organisation_id, queryOf({ archived: true }))
  return page.data.map(({ last_name }) => last_name ?? "").sort()
})

/** The laws of {@link Transaction}. */
export const transactions = <R>(it: It<R>, cases: number): void => {
  it.effect("what stays is exactly what succeeded up to the outermost transaction, and its effects run after it", () =>
    check(
      cases,
      runs,
      Effect.fnUntraced(function* (run) {
        const { id } = yield* newOrganisation()
        const after: Array<string> = []
        yield* perform(id, run, after)
        const left = leftOf(run)
        same(yield* namesOf(id), [...left.written].sort())
        same(after, [...left.after])
      })
    )
  )

  it.effect("the answer and the failure of the effect are the transaction's", () =>
    Effect.gen(function* () {
      const transaction = yield* Transaction
      assert.strictEqual(yield* transaction.run(Effect.succeed(7)), 7)
      assert.strictEqual(yield* Effect.flip(transaction.run(Effect.fail("refused"))), "refused")
      assert.strictEqual(yield* Effect.flip(transaction.run(transaction.run(Effect.fail("inside")))), "inside")
    })
  )

  it.effect("a transaction that is interrupted from outside leaves nothing, and lets others go on", () =>
    Effect.gen(function* () {
      const transaction = yield* Transaction
      const donors = yield* DonorStore
      const { id } = yield* newOrganisation()
      const donor = yield* donorOf(id)
      const written = yield* Deferred.make<void>()
      let ran = false
      const fiber = yield* transaction
        .run(
          Effect.gen(function* () {
            yield* donors.insert(donor)
            yield* transaction.afterCommit(
              Effect.sync(() => {
                ran = true
              })
            )
            yield* Deferred.succeed(written, undefined)
            return yield* Effect.never
          })
        )
        .pipe(Effect.forkChild)
      yield* Deferred.await(written)
      yield* Fiber.interrupt(fiber)
      none(yield* donors.find(id, donor.id))
      assert.isFalse(ran)
      yield* transaction.run(donors.insert(donor))
      same(yield* donors.find(id, donor.id), Option.some(donor))
    })
  )

  it.effect("a transaction sees its own writes; nobody else sees what is not committed", () =>
    Effect.gen(function* () {
      const transaction = yield* Transaction
      const donors = yield* DonorStore
      const { id } = yield* newOrganisation()
      const donor = yield* donorOf(id)
      const asked = yield* Deferred.make<void>()
      // Begun outside the transaction. Where there is one session only, its answer comes when that is free again.
      const reader = yield* Effect.andThen(Deferred.await(asked), donors.find(id, donor.id)).pipe(Effect.forkChild)
      const refused = yield* transaction
        .run(
          Effect.gen(function* () {
            yield* donors.insert(donor)
            yield* Deferred.succeed(asked, undefined)
            yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow)
            same(yield* donors.find(id, donor.id), Option.some(donor))
            return yield* Effect.fail("refused")
          })
        )
        .pipe(Effect.flip)
      assert.strictEqual(refused, "refused")
      none(yield* Fiber.join(reader))
    })
  )

  it.effect("an effect after the commit finds the writes committed, and may run a transaction itself", () =>
    Effect.gen(function* () {
      const transaction = yield* Transaction
      const donors = yield* DonorStore
      const { id } = yield* newOrganisation()
      const [first, second] = [yield* donorOf(id), yield* donorOf(id)]
      let found: Option.Option<unknown> = Option.none()
      let during = true
      yield* transaction.run(
        Effect.gen(function* () {
          yield* donors.insert(first)
          yield* transaction.run(
            transaction.afterCommit(
              Effect.gen(function* () {
                found = yield* donors.find(id, first.id)
                yield* transaction.run(donors.insert(second))
              })
            )
          )
          during = Option.isSome(found)
        })
      )
      assert.isFalse(during, "it ran before the outermost transaction committed")
      same(found, Option.some(first))
      same(yield* donors.find(id, second.id), Option.some(second))
    })
  )

  it.effect("transactions that read and write the same record go one after the other", () =>
    Effect.gen(function* () {
      const transaction = yield* Transaction
      const donors = yield* DonorStore
      const { id } = yield* newOrganisation()
      const donor = yield* donorOf(id, { profile_revision: 0 })
      yield* donors.insert(donor)
      const raise = transaction.run(
        Effect.gen(function* () {
          const found = Option.getOrThrow(yield* donors.findForUpdate(id, donor.id))
          yield* Effect.yieldNow
          yield* donors.update({ ...found, profile_revision: found.profile_revision + 1, updated_at: at(1) })
        })
      )
      yield* Effect.all(
        Array.from({ length: 12 }, () => raise),
        { concurrency: "unbounded", discard: true }
      )
      const after = Option.getOrThrow(yield* donors.find(id, donor.id))
      assert.strictEqual(after.profile_revision, 12)
    })
  )

  it.effect("a transaction that is interrupted while it waits for another keeps nobody from going on", () =>
    Effect.gen(function* () {
      const transaction = yield* Transaction
      const donors = yield* DonorStore
      const { id } = yield* newOrganisation()
      const donor = yield* donorOf(id)
      yield* donors.insert(donor)
      const [held, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const hold = donors.findForUpdate(id, donor.id)
      const first = yield* hold.pipe(
        Effect.andThen(Deferred.succeed(held, undefined)),
        Effect.andThen(Deferred.await(go)),
        transaction.run,
        Effect.forkChild
      )
      yield* Deferred.await(held)
      const change = transaction.run(Effect.andThen(hold, donors.update({ ...donor, last_name: "Lost" })))
      const waiting = yield* Effect.forkChild(change)
      yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow)
      yield* Fiber.interrupt(waiting)
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(first)
      same(yield* unblocked(transaction.run(hold)), Option.some(donor))
    })
  )

  it.effect("a write outside of any transaction is committed by itself", () =>
    Effect.gen(function* () {
      const transaction = yield* Transaction
      const donors = yield* DonorStore
      const { id } = yield* newOrganisation()
      const donor = yield* donorOf(id)
      yield* donors.insert(donor)
      const exit = yield* Effect.exit(transaction.run(Effect.fail("refused")))
      assert.isTrue(Exit.isFailure(exit))
      same(yield* donors.find(id, donor.id), Option.some(donor))
    })
  )
}
