import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import type { Charge } from "../../src/domain/payments/Charge.ts"
import { advance } from "../../src/domain/payments/TestBank.ts"
import type { TestCharge } from "../../src/domain/payments/TestCharge.ts"
import { SandboxClockStore, TestBank } from "../../src/ports.ts"

/** What the bank has of a charge now, which is one at most; none where it was never told of it. */
export const bankChargeOf = Effect.fnUntraced(function* ({ id, organisation_id }: Charge) {
  const made = yield* TestBank.use((bank) => bank.ofCharge(organisation_id, id))
  assert.isAtMost(made.length, 1, "the bank made several charges for one")
  // The bank has the time of the organisation.
  const milliseconds = yield* SandboxClockStore.use((clocks) => clocks.ahead(organisation_id))
  const now = DateTime.add(yield* DateTime.now, { milliseconds })
  const [theirs] = made.map((each) => advance(each, now))
  return theirs
})

/** How often the bank took the money: not the lines of its fees, nor what came by itself after the end. */
export const amountTaken = (theirs: TestCharge | undefined): number =>
  (theirs?.movements ?? []).filter(
    ({ amount_cents, kind, reference }) => kind === "charge" && amount_cents > 0 && !reference.endsWith("_late")
  ).length

/** Minor units of all of them. */
export const sum = (all: ReadonlyArray<{ readonly amount_cents: number }>): number =>
  all.reduce((total, { amount_cents }) => total + amount_cents, 0)
