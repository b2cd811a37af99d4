import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { Charges } from "../../src/app/payments/Charges.ts"
import { Settler } from "../../src/app/payments/Settler.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import type { Submission } from "../../src/domain/sharing/Checkout.ts"
import { Transaction } from "../../src/ports/kernel/Transaction.ts"
import type { PaymentProcessor } from "../../src/ports/payments/PaymentProcessors.ts"
import { type GivingSandbox, makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import { changedProcessors } from "../support/Processors.ts"
import { type Service, startService } from "../support/Service.ts"
import { everyKind } from "../support/Stores.ts"
import { asOperator } from "../support/Tenant.ts"

/** The points of a run that can be stopped at: those before and after each call of the processor and each transaction. */
interface Points {
  /** Points that are passed before the run is stopped; none when it runs to its end. */
  left: number | null
  passed: number
  /** A point at which the process is stopped stays so: nothing runs after it. */
  isStopped: boolean
}

const makePoints = (): Points => ({ left: null, passed: 0, isStopped: false })

/** The stores and the processor, with points at which whoever uses them is cut off. */
const pointed = (points: Points) => {
  const pass = Effect.suspend(() => {
    points.passed += 1
    if (points.left === null) return Effect.void
    points.left -= 1
    if (points.left >= 0 && !points.isStopped) return Effect.void
    points.isStopped = true
    return Effect.interrupt
  })
  const around = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Effect.andThen(pass, effect), (value) => Effect.as(pass, value))
  const transactions = Layer.effect(
    Transaction,
    Effect.map(Transaction, (inner) => Transaction.of({ ...inner, run: (effect) => around(inner.run(effect)) }))
  )
  const pointedProcessor = (inner: PaymentProcessor): PaymentProcessor => ({
    ...inner,
    begin: (charging) => around(inner.begin(charging)),
    confirm: (charging, token) => around(inner.confirm(charging, token)),
    cancel: (charging) => around(inner.cancel(charging)),
    fetchCharge: (charging) => around(inner.fetchCharge(charging)),
    refund: (charging, refund) => around(inner.refund(charging, refund))
  })
  return { transactions, processors: changedProcessors(pointedProcessor) }
}

const hour = 3_600_000

/** How a life goes on after the submission. */
interface Life {
  readonly name: string
  readonly given: Partial<Submission>
  /** What its gift is after six days: a debit is with the bank still. */
  readonly ends: "CONFIRMED" | "FAILED" | "PENDING"
  /** Moves the bank and asks for refunds, before the worker goes on. */
  readonly then?: (giving: GivingSandbox, submitted: { readonly donation_id: string | null }) => Promise<void>
}

const lives: ReadonlyArray<Life> = [
  { name: "that succeeds", given: {}, ends: "CONFIRMED" },
  { name: "that is declined", given: { payment_token: numbers.declined }, ends: "FAILED" },
  { name: "that waits, until it is given up", given: { payment_token: numbers.waits }, ends: "FAILED" },
  { name: "by direct debit", given: { method: "au_becs_debit", payment_token: numbers.debit }, ends: "PENDING" }
]

describe.each(everyKind)("a charge that is cut off over %s", (_name, stores) => {
  const points = makePoints()
  let service: Service

  beforeAll(async () => {
    const { processors, transactions } = pointed(points)
    service = await startService({ stores: Layer.provideMerge(transactions, stores), processors })
  })
  afterAll(() => service.stop())

  /** Runs an effect up to a point; whether it got there. */
  const stoppedAt = async (point: number, effect: Effect.Effect<unknown, unknown, Checkouts | Settler>) => {
    points.left = point
    points.isStopped = false
    const exit = await service.run(Effect.exit(effect as Effect.Effect<unknown, unknown, never>))
    const wasStopped = points.isStopped
    points.left = null
    points.isStopped = false
    return { wasStopped, isCut: Exit.isFailure(exit) }
  }

  for (const { ends: ended, given, name: life } of lives) {
    it(`${life} is one gift, one charge and one of each event, wherever that was`, async () => {
      const giving = await makeGivingSandbox(service)
      let stopped = 0
      for (let point = 0; ; point++) {
        const submission = giving.submission({ ...given, donor: { email: `donor-${point}@example.org` } })
        const submit = Checkouts.use((checkouts) => checkouts.submit(submission))
        const { wasStopped } = await stoppedAt(point, submit)
        // Several processes go on at the same moment; then the worker is cut off, too, and goes on.
        const made = (await giving.charges()).filter((each) => each.submission_id === submission.submission_id)
        const look = Effect.forEach(made, ({ id }) => Charges.use((all) => all.look(id))).pipe(
          asOperator(giving.tenant.organisation)
        )
        if (point % 2 === 0) await service.run(Effect.all([look, look, look], { concurrency: "unbounded" }))
        await stoppedAt(
          Math.floor(point / 2),
          Settler.use(({ settleDue }) => settleDue)
        )
        for (const advance of [0, 0.1, 1, 25, 6 * 24]) {
          service.clock.advance(advance * hour)
          await giving.settle()
        }
        const charges = (await giving.charges()).filter(
          ({ submission_id }) => submission_id === submission.submission_id
        )
        assert.isAtMost(charges.length, 1)
        const [charge] = charges
        if (charge !== undefined) {
          const submitted = { donation_id: charge.subject_id } as Awaited<ReturnType<GivingSandbox["submit"]>>
          const gift = await giving.giftOf(submitted)
          assert.strictEqual(gift.status, ended, `point ${point}`)
          const told = (await giving.eventsOf(submitted)).filter((type) => type !== "donation.processing")
          assert.strictEqual(new Set(told).size, told.length, `point ${point}: ${told}`)
          const ends = {
            CONFIRMED: "donation.succeeded",
            FAILED: "donation.failed",
            PENDING: undefined,
            REFUNDED: undefined
          }
          const end = ends[gift.status]
          assert.deepStrictEqual(told, ["donor.created", "donation.created", ...(end === undefined ? [] : [end])])
          const bank = charge.reference === null ? 0 : Bank.leftCents(await giving.bank(submitted))
          assert.strictEqual(bank, gift.status === "CONFIRMED" ? gift.amount_cents : 0, `point ${point}`)
        }
        await giving.balanced()
        if (!wasStopped) break
        stopped += 1
      }
      assert.isAbove(stopped, 6)
    }, 120_000)
  }
})
