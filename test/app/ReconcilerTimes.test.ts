import { assert, describe } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as TestProcessor from "../../src/adapters/processors/test/TestProcessor.ts"
import { useCases } from "../../src/app/Application.ts"
import { Reconciler } from "../../src/app/payments/Reconciler.ts"
import type { Integration } from "../../src/domain/access/Integration.ts"
import { ReconciliationStore } from "../../src/ports/payments/ReconciliationStore.ts"
import { withFresh } from "../support/Steps.ts"
import { timedSandbox, timedStores } from "../support/TimedSandbox.ts"

const world = useCases.pipe(Layer.provideMerge(TestProcessor.layer), Layer.provideMerge(timedStores))

const claim = ({ id, organisation_id }: Integration, holder: string, lease: Duration.Input) =>
  ReconciliationStore.use((store) => store.claim(organisation_id, id, holder, Duration.fromInputUnsafe(lease)))

/** When the account was reconciled last, minutes after the beginning; undefined where somebody has it, null where never. */
const reconciledAt = (integration: Integration) =>
  Effect.gen(function* () {
    const looking = "looking"
    const found = yield* claim(integration, looking, "1 second")
    yield* ReconciliationStore.use((store) => store.release(integration.organisation_id, integration.id, looking))
    return Option.match(found, {
      onNone: () => undefined,
      onSome: ({ reconciled_at }) => (reconciled_at === null ? null : DateTime.toEpochMillis(reconciled_at) / 60_000)
    })
  })

const { effect } = withFresh(world)

describe("the reconciler by itself", () => {
  effect("comes within a minute of its start, and then every hour", function* () {
    const { integration } = yield* timedSandbox
    yield* Effect.forkScoped(Reconciler.use(({ run }) => run))
    yield* TestClock.adjust("1 minute")
    const first = yield* reconciledAt(integration)
    if (typeof first !== "number") return assert.fail(`not reconciled: ${first}`)
    assert.isAtMost(first, 1)
    yield* TestClock.adjust("58 minutes")
    assert.strictEqual(yield* reconciledAt(integration), first)
    yield* TestClock.adjust("2 minutes")
    assert.closeTo((yield* reconciledAt(integration)) ?? 0, first + 60, 1e-6)
  })

  effect("takes up what a process left that ended in the middle, once its lease is over", function* () {
    const { integration } = yield* timedSandbox
    yield* claim(integration, "a process that ended", "5 minutes")
    yield* Effect.forkScoped(Reconciler.use(({ run }) => run))
    yield* TestClock.adjust("4 minutes")
    assert.isUndefined(yield* reconciledAt(integration))
    yield* TestClock.adjust("2 minutes")
    const taken = yield* reconciledAt(integration)
    if (typeof taken !== "number") return assert.fail(`not reconciled: ${taken}`)
    assert.isAtLeast(taken, 5)
  })
})
