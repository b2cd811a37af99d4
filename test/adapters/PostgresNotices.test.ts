import { assert, describe, it } from "@effect/vitest"
import { type Context, Effect, Fiber } from "effect"
import { NoticeId } from "../../src/domain/kernel/Ids.ts"
import type { Notice } from "../../src/domain/payments/Notice.ts"
import { ChargeStore, NoticeStore, TestBank } from "../../src/ports.ts"
import { newCharge } from "../../src/testing/conformance/MoneyRecords.ts"
import { at, freshId, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { twoPrograms } from "./PostgresStores.ts"

const notice = Effect.gen(function* () {
  const { id: organisation_id } = yield* newOrganisation()
  const received: Notice = {
    id: NoticeId.make(yield* freshId("notice")),
    organisation_id,
    integration_id: yield* freshId("integration"),
    processor: "test",
    event_id: "evt_1",
    type: "charge.succeeded",
    object: "charge",
    reference: null,
    charge_id: null,
    account: null,
    status: "RECEIVED",
    error: null,
    attempts: 0,
    apply_at: at(0),
    sent_at: at(0),
    ended_at: null,
    created_at: at(0),
    updated_at: at(0)
  }
  yield* (yield* NoticeStore).add(received)
})

const look = Effect.gen(function* () {
  const charge = yield* newCharge((yield* newOrganisation()).id)
  yield* (yield* ChargeStore).lookNow(charge.organisation_id, charge.id)
})

const told = Effect.gen(function* () {
  const bank = yield* TestBank
  yield* bank.addNotices([
    {
      id: yield* freshId("testNotice"),
      organisation_id: (yield* newOrganisation()).id,
      integration_id: yield* freshId("integration"),
      type: "charge.succeeded",
      object: "charge",
      reference: "test_1",
      charge_id: null,
      send_at: at(0),
      sends: 1,
      created_at: at(0)
    }
  ])
})

type Program = Effect.Success<typeof twoPrograms>[number]

type Services = Program extends Context.Context<infer R> ? R : never

type Within<A, E = unknown> = (program: Program) => Effect.Effect<A, E>

const on =
  <A, E>(effect: Effect.Effect<A, E, Services>): Within<A, E> =>
  (program) =>
    Effect.provideContext(effect, program)

const cases: ReadonlyArray<readonly [what: string, happen: Within<void>, wait: Within<void, never>]> = [
  ["a charge that is to be looked at", on(look), on(Effect.flatMap(ChargeStore, ({ wait }) => wait))],
  ["a notice that came", on(notice), on(Effect.flatMap(NoticeStore, ({ wait }) => wait))],
  ["a notice that the simulated bank is to send", on(told), on(Effect.flatMap(TestBank, ({ wait }) => wait))]
]

describe("two programs over one server", () => {
  for (const [what, happen, wait] of cases) {
    it.live(`tell each other of ${what}`, () =>
      Effect.gen(function* () {
        const [first, second] = yield* twoPrograms
        // The first to wait makes its program listen, and begins with a hint of everything.
        yield* wait(second)
        const waiting = yield* Effect.forkChild(wait(second))
        yield* Effect.yieldNow
        assert.isUndefined(waiting.pollUnsafe())
        yield* happen(first)
        yield* Fiber.join(waiting)
      }).pipe(Effect.scoped, Effect.timeout("20 seconds"))
    )
  }
})
