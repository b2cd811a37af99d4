import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import * as Charge from "../../../src/domain/payments/Charge.ts"
import * as Invoice from "../../../src/domain/payments/Invoice.ts"
import * as Mandate from "../../../src/domain/payments/Mandate.ts"
import * as Notice from "../../../src/domain/payments/Notice.ts"
import * as TransferAttempt from "../../../src/domain/sharing/TransferAttempt.ts"
import * as Laws from "../../../src/testing/Laws.ts"
import { charges } from "../../../src/testing/subjects/Charges.ts"
import { notices } from "../../../src/testing/subjects/Notices.ts"
import { invoices, mandates } from "../../../src/testing/subjects/Subscriptions.ts"
import { transferAttempts } from "../../../src/testing/subjects/TransferAttempts.ts"

const runs = 12

describe("the laws of machines hold of", () => {
  it("an invoice", () => {
    Laws.check(Invoice.machine, { ...invoices, runs })
  })

  it("a mandate", () => {
    Laws.check(Mandate.machine, { ...mandates, runs })
  })

  it("a notice", () => {
    Laws.check(Notice.machine, { ...notices, runs })
  })

  it("a transfer attempt", () => {
    Laws.check(TransferAttempt.machine, { ...transferAttempts, runs })
  })
})

describe("a charge that has ended", () => {
  it("says what it can no more be, when it is told to succeed or to fail", () => {
    fc.assert(
      fc.property(charges.states, charges.commands, (charge, command) => {
        fc.pre(command._tag === "Succeed" || command._tag === "Fail")
        const decided = decide(Charge.machine, charge, command)
        if (Result.isSuccess(decided)) return
        assert.match(decided.failure.message, command._tag === "Succeed" ? /\bsucceed\b/ : /\bfail\b/)
      }),
      { numRuns: 50 }
    )
  })
})
