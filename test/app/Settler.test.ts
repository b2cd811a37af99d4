import { assert, describe } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { useCases } from "../../src/app/Application.ts"
import { DonationForms } from "../../src/app/giving/DonationForms.ts"
import { moveTestCharge } from "../../src/app/payments/charge/TestChargeMove.ts"
import { Settler } from "../../src/app/payments/Settler.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import { ChargeId } from "../../src/domain/kernel/Ids.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import { standardAccount } from "../../src/domain/payments/TestCharge.ts"
import type { Submission } from "../../src/domain/sharing/Checkout.ts"
import { ChargeStore, TestBank, Transaction } from "../../src/ports.ts"
import { changePort } from "../support/ChangePort.ts"
import { numbers, pageId } from "../support/GivingSandbox.ts"
import { changedProcessors } from "../support/Processors.ts"
import { withFresh } from "../support/Steps.ts"
import { asOperator } from "../support/Tenant.ts"
import { timedSandbox, timedStores } from "../support/TimedSandbox.ts"

/** What a test does to the worker's surroundings. */
const faults = {
  /** Whether the store of charges breaks at every claim. */
  isAway: false,
  /** Every fetch waits for this. */
  gate: Effect.void,
  fetches: 0
}

const processors = changedProcessors((processor) => ({
  ...processor,
  fetchCharge: (charging) =>
    Effect.suspend(() => {
      faults.fetches += 1
      return Effect.andThen(faults.gate, processor.fetchCharge(charging))
    })
}))

const charges = changePort(ChargeStore, (inner) => ({
  claim: (...args) => (faults.isAway ? Effect.die(new Error("away")) : inner.claim(...args))
}))

const world = useCases.pipe(
  Layer.provideMerge(processors),
  Layer.provideMerge(charges),
  Layer.provideMerge(timedStores)
)

/** A sandbox that takes gifts through a form. */
const sandbox = Effect.gen(function* () {
  faults.isAway = false
  faults.gate = Effect.void
  faults.fetches = 0
  const { integration, organisation } = yield* timedSandbox
  yield* DonationForms.use((forms) => forms.create({ name: "Appeal", status: "ACTIVE" })).pipe(asOperator(organisation))
  // What the worker does by itself: no notice tells it of anything.
  yield* TestBank.use((bank) =>
    bank.setAccount({ ...standardAccount(organisation.id, integration.id), notices: "NEVER" })
  )
  return { organisation, integration }
}).pipe(Effect.orDie)

const submit = (organisation: Organisation, payment_token: string, method: Submission["method"] = "card") =>
  Effect.orDie(
    Checkouts.use((checkouts) =>
      checkouts.submit({
        organisation: organisation.slug,
        slug: "appeal",
        submission_id: pageId(),
        amount_cents: 5_000,
        currency: "AUD",
        method,
        donor: { email: "ada@example.org" },
        payment_token,
        request_id: "req_page"
      })
    )
  )

const chargeIn = (token: string) => ChargeId.make(token.split(".")[2] ?? "")

/** What the worker has written: the page of a payment would look itself. */
const statusOf = (organisation: Organisation, token: string) =>
  Effect.map(
    ChargeStore.use((store) => store.find(organisation.id, chargeIn(token))),
    (found) => `${organisation.slug}: ${Option.getOrThrow(found).status}`
  )

const approve = (organisation: Organisation, token: string) =>
  Effect.flatMap(Transaction, ({ run }) =>
    run(Effect.orDie(moveTestCharge(organisation.id, chargeIn(token), Bank.approve)))
  )

const { effect } = withFresh(world)

describe("the settler", () => {
  effect("looks when it is time, and at once where it is told", function* () {
    const { organisation } = yield* sandbox
    const waits = yield* submit(organisation, numbers.waits)
    yield* Effect.forkScoped(Settler.use(({ run }) => run))
    yield* TestClock.adjust("1 minute")
    yield* approve(organisation, waits.progress_token)
    yield* TestClock.adjust("8 minutes")
    assert.strictEqual(yield* statusOf(organisation, waits.progress_token), "harbour-sandbox: WAITING")
    yield* TestClock.adjust("2 minutes")
    assert.strictEqual(yield* statusOf(organisation, waits.progress_token), "harbour-sandbox: SUCCEEDED")
    const hinted = yield* submit(organisation, numbers.waits)
    yield* approve(organisation, hinted.progress_token)
    yield* ChargeStore.use((store) => store.lookNow(organisation.id, chargeIn(hinted.progress_token)))
    yield* TestClock.adjust("1 second")
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* statusOf(organisation, hinted.progress_token), "harbour-sandbox: SUCCEEDED")
  })

  effect("tries a processor that is not reached sooner and then later, for a quarter of an hour", function* () {
    const { integration, organisation } = yield* sandbox
    const account = standardAccount(organisation.id, integration.id)
    yield* TestBank.use((bank) => bank.setAccount({ ...account, reach: "LOST" }))
    const lost = yield* submit(organisation, numbers.succeeds)
    yield* Effect.forkScoped(Settler.use(({ run }) => run))
    yield* TestClock.adjust("14 minutes")
    assert.strictEqual(yield* statusOf(organisation, lost.progress_token), "harbour-sandbox: NEW")
    yield* TestBank.use((bank) => bank.setAccount({ ...account, reach: "REACHED" }))
    const late = yield* Effect.gen(function* () {
      yield* TestBank.use((bank) => bank.setAccount({ ...account, reach: "LOST" }))
      const submitted = yield* submit(organisation, numbers.succeeds)
      yield* TestBank.use((bank) => bank.setAccount({ ...account, reach: "REACHED" }))
      return submitted
    })
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(yield* statusOf(organisation, late.progress_token), "harbour-sandbox: SUCCEEDED")
    yield* TestClock.adjust("3 minutes")
    assert.notStrictEqual(yield* statusOf(organisation, lost.progress_token), "harbour-sandbox: NEW")
  })

  effect("takes up what a crash left, once its lease is over", function* () {
    const { organisation } = yield* sandbox
    faults.gate = Effect.never
    const submission = yield* Effect.forkChild(submit(organisation, numbers.succeeds))
    yield* TestClock.adjust("1 second")
    yield* Fiber.interrupt(submission)
    faults.gate = Effect.void
    yield* Effect.forkScoped(Settler.use(({ run }) => run))
    yield* TestClock.adjust("50 seconds")
    const before = faults.fetches
    yield* TestClock.adjust("15 seconds")
    assert.isAbove(faults.fetches, before)
  })

  effect("lets what is under way end when it is stopped, and not for ever", function* () {
    const { organisation } = yield* sandbox
    const [first, second] = [yield* submit(organisation, numbers.waits), yield* submit(organisation, numbers.waits)]
    yield* approve(organisation, first.progress_token)
    const gate = yield* Deferred.make<void>()
    faults.gate = Deferred.await(gate)
    yield* ChargeStore.use((store) => store.lookNow(organisation.id, chargeIn(first.progress_token)))
    const worker = yield* Effect.forkChild(Settler.use(({ run }) => run))
    yield* TestClock.adjust("1 second")
    const stopping = yield* Effect.forkChild(Fiber.interrupt(worker))
    yield* TestClock.adjust("2 seconds")
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(stopping)
    assert.strictEqual(yield* statusOf(organisation, first.progress_token), "harbour-sandbox: SUCCEEDED")
    faults.gate = Effect.never
    yield* ChargeStore.use((store) => store.lookNow(organisation.id, chargeIn(second.progress_token)))
    const stuck = yield* Effect.forkChild(Settler.use(({ run }) => run))
    yield* TestClock.adjust("1 second")
    const ending = yield* Effect.forkChild(Fiber.interrupt(stuck))
    yield* TestClock.adjust(Duration.seconds(9))
    yield* Fiber.join(ending)
  })

  effect("outlives an outage of its store", function* () {
    const { organisation } = yield* sandbox
    const waits = yield* submit(organisation, numbers.waits)
    yield* approve(organisation, waits.progress_token)
    faults.isAway = true
    yield* Effect.forkScoped(Settler.use(({ run }) => run))
    yield* TestClock.adjust("15 minutes")
    assert.strictEqual(yield* statusOf(organisation, waits.progress_token), "harbour-sandbox: WAITING")
    faults.isAway = false
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(yield* statusOf(organisation, waits.progress_token), "harbour-sandbox: SUCCEEDED")
  })

  effect(
    "asks every day what accounts can do, and believes what it was told last where it is not reached",
    function* () {
      const { integration, organisation } = yield* sandbox
      const account = standardAccount(organisation.id, integration.id)
      const closed = Effect.map(
        Effect.orDie(Checkouts.use((checkouts) => checkouts.open({ organisation: organisation.slug, slug: "appeal" }))),
        (page) => page.closed
      )
      const worker = yield* Effect.forkScoped(Settler.use(({ run }) => run))
      yield* TestClock.adjust("1 minute")
      yield* TestBank.use((bank) => bank.setAccount({ ...account, charges_enabled: false }))
      yield* TestClock.adjust("23 hours")
      assert.isNull(yield* closed)
      yield* TestClock.adjust("2 hours")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* closed, "no_processor")
      yield* Fiber.interrupt(worker)
      // It asks at each start, too, which takes less time than a day of looks.
      const restart = Effect.andThen(Effect.forkScoped(Settler.use(({ run }) => run)), TestClock.adjust("10 seconds"))
      yield* TestBank.use((bank) => bank.setAccount({ ...account, reach: "LOST" }))
      yield* Effect.scoped(restart)
      assert.strictEqual(yield* closed, "no_processor")
      yield* TestBank.use((bank) => bank.setAccount(account))
      yield* Effect.scoped(restart)
      assert.isNull(yield* closed)
    }
  )
})
