import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import { isRefunded, refundShared } from "../../../src/domain/giving/SharedRefund.ts"
import { PaymentAllocationId, RefundId } from "../../../src/domain/kernel/Ids.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEvery } from "../../support/Property.ts"

const part = fc
  .tuple(Generators.refund, arbitraryOf(PaymentAllocationId))
  .map(([{ amount_cents, charge_id, donation_id, organisation_id }, allocation_id]) => ({
    amount_cents,
    charge_id,
    donation_id,
    organisation_id,
    allocation_id
  }))

it("a refund of a part of a payment waits for its processor and leaves the gift of the recipient as it is", () =>
  forEvery(part, arbitraryOf(RefundId), Generators.instant, (given, id, at) => {
    const row = refundShared(given, { id, at })
    assert.deepInclude(row, { ...given, id, status: "PENDING", is_beside_gift: true })
    assert.isNull(row.refunded_at)
    assert.isTrue(isRefunded([row], { id: given.allocation_id }))
    assert.isFalse(isRefunded([{ ...row, status: "FAILED" }], { id: given.allocation_id }))
  }))
