import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import fc from "fast-check"
import * as Rule from "../../../src/domain/kernel/Rule.ts"
import * as Charge from "../../../src/domain/payments/Charge.ts"
import * as PaymentException from "../../../src/domain/payments/PaymentException.ts"
import { instant } from "../../../src/testing/Generators.ts"
import * as Subjects from "../../../src/testing/subjects/Charges.ts"
import { forEvery } from "../../support/Property.ts"

const hours = { card: 24, au_becs_debit: 24, payto: 5 * 24, bank_transfer: 14 * 24 }

const hoursBetween = (from: DateTime.Utc, to: DateTime.Utc) => Duration.toHours(DateTime.distance(from, to))

describe("a charge", () => {
  it("waits for its donor as long as its method allows, a transfer from its submission and all others from their wait", () =>
    forEvery(Subjects.charges.states, instant, (given, created_at) => {
      const waiting_since = given.waiting_since === null ? null : DateTime.add(created_at, { hours: 2 })
      const charge = { ...given, created_at, waiting_since }
      const late = waiting_since === null || charge.method === "bank_transfer" ? 0 : 2
      assert.strictEqual(hoursBetween(created_at, Charge.lapsesAt(charge)), hours[charge.method] + late)
      const code = charge.method === "bank_transfer" ? "bank_transfer_lapsed" : "abandoned"
      assert.strictEqual(Charge.lapseCode(charge), code)
    }))

  it("may still bring money while the bank network has it, and of a transfer until it ends", () =>
    forEvery(Subjects.charges.states, (charge) => {
      const { method, status } = charge
      const hasEnded = ["SUCCEEDED", "FAILED", "CANCELLED"].includes(status)
      const expected = status === "PROCESSING" || (method === "bank_transfer" && !hasEnded)
      assert.strictEqual(Charge.mayStillArrive(charge), expected)
    }))
})

describe("the mail that a donor is owed once a charge has moved", () => {
  const statuses = fc.constantFrom(...Charge.Status.literals)
  const charge = fc.record({
    status: statuses,
    method: fc.constantFrom("card", "au_becs_debit", "payto", "bank_transfer"),
    purpose: fc.constantFrom("donation", "payment", "invoice"),
    failure_code: fc.constantFrom(null, "declined", "abandoned", "cancelled")
  })
  const hasFailed = ({ failure_code, status }: Pick<Charge.Charge, "failure_code" | "status">) =>
    ({ FAILED: true, CANCELLED: failure_code !== "cancelled" })[status as string] ?? false

  it("says of a renewal that it has failed, unless somebody cancelled it, and of a card nothing else", () =>
    forEvery(statuses, charge, (status, after) => {
      if (after.purpose !== "invoice" && after.method !== "card") return
      const isOwed = after.purpose === "invoice" && status !== after.status && hasFailed(after)
      assert.strictEqual(Charge.owedMail({ status }, after), isOwed ? "payment_failed" : null)
    }))

  it("says of all others that the gift is under way as soon as it is, and if it fails after that", () =>
    forEvery(statuses, charge, (status, after) => {
      if (after.purpose === "invoice" || after.method === "card") return
      const isUnderWay = status === "NEW" && ["WAITING", "PROCESSING"].includes(after.status)
      const isLost = status !== "NEW" && status !== after.status && hasFailed(after)
      const mail = isUnderWay ? "payment_processing" : isLost ? "payment_failed" : null
      assert.strictEqual(Charge.owedMail({ status }, after), mail)
    }))
})

it("a charge for what another was to pay is a new one, of which nothing is known but that", () =>
  forEvery(Subjects.charges.states, instant, (ended, at) => {
    const given = { id: ended.id, look_at: at, subject_id: "inv_1" }
    const anew = Charge.chargedAnew(ended, given, at)
    const { amount_cents, currency, integration_id, method, purpose } = ended
    const known = { ...given, amount_cents, currency, integration_id, method, purpose, submission_id: ended.id }
    assert.deepInclude(anew, { ...known, status: "NEW", looks: 0, created_at: at, updated_at: at })
    const { confirmed_at, ended_at, ending, failure_code, processor_fee_cents, reference, sealed_token } = anew
    const unknown = [confirmed_at, ended_at, ending, failure_code, processor_fee_cents, reference, sealed_token]
    for (const each of unknown) assert.isNull(each)
  }))

it("a payment exception is unresolved until somebody has resolved it", () =>
  forEvery(Subjects.paymentExceptions.states, (exception) => {
    assert.strictEqual(Rule.holds(PaymentException.unresolvedRule, exception), exception.resolved_at === null)
  }))
