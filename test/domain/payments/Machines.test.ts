import { describe, it } from "@effect/vitest"
import * as Invoice from "../../../src/domain/payments/Invoice.ts"
import * as Mandate from "../../../src/domain/payments/Mandate.ts"
import * as Notice from "../../../src/domain/payments/Notice.ts"
import * as TransferAttempt from "../../../src/domain/sharing/TransferAttempt.ts"
import * as Laws from "../../../src/testing/Laws.ts"
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
