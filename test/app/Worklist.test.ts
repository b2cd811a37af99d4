import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { DonorIntelligence } from "../../src/app/insight/DonorIntelligence.ts"
import { ComputesScores, DonorStore } from "../../src/ports.ts"
import { donorOf, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { memory } from "../conformance/Adapters.ts"
import { effect } from "../support/Steps.ts"
import { asOperator } from "../support/Tenant.ts"

/** Whether a worklist of an organisation with a donor, and then without one, says that it can be computed. */
const saidWith = (host: Layer.Layer<never>) =>
  Effect.gen(function* () {
    const intelligence = yield* DonorIntelligence
    const organisation = { ...(yield* newOrganisation()), plan: "GROW" as const }
    const read = intelligence.readWorklist().pipe(asOperator(organisation))
    const before = yield* read
    yield* (yield* DonorStore).insert(yield* donorOf(organisation.id))
    return [before.can_compute_now, (yield* read).can_compute_now]
  }).pipe(Effect.provide(DonorIntelligence.layer.pipe(Layer.provide(host), Layer.provideMerge(memory))))

effect("a worklist can be computed where the host has something that computes, and there is a donor", function* () {
  assert.deepStrictEqual(yield* saidWith(Layer.empty), [false, false])
  assert.deepStrictEqual(yield* saidWith(Layer.succeed(ComputesScores, false)), [false, false])
  assert.deepStrictEqual(yield* saidWith(Layer.succeed(ComputesScores, true)), [false, true])
})
