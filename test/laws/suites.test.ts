import { describe, it } from "@effect/vitest"
import { take } from "../../src/domain/access/RateLimit.ts"
import * as CheckoutLink from "../../src/domain/giving/CheckoutLink.ts"
import * as Delivery from "../../src/domain/outbox/Delivery.ts"
import { firstOfEach } from "../../src/domain/outbox/EventRepeats.ts"
import { balancesOf } from "../../src/domain/payments/Ledger.ts"
import * as Introduction from "../../src/domain/sharing/Introduction.ts"
import { distributionOf } from "../../src/domain/sharing/Transfer.ts"
import { checkoutLinks } from "../../src/testing/subjects/CheckoutLinks.ts"
import { introductions } from "../../src/testing/subjects/Introductions.ts"
import { bucketLaw, conservationLaw, distributionLaw, expiryLaw, outboxLaw, scheduleLaw, suites } from "./Suites.ts"

describe("the laws beyond single machines", () => {
  it(suites.bucket, () => bucketLaw(take))

  it(suites.schedule, () => scheduleLaw(Delivery.machine))

  it(suites.outbox, () => outboxLaw(firstOfEach))

  it(suites.distribution, () => distributionLaw(distributionOf))

  it(suites.conservation, () => conservationLaw(balancesOf))

  it(`${suites.expiry}: introductions`, () =>
    expiryLaw(
      Introduction.machine,
      introductions,
      Introduction.statusAt,
      (_, at): Introduction.Command => ({ _tag: "Expire", at })
    ))

  it(`${suites.expiry}: checkout links, archived ones too`, () =>
    expiryLaw(CheckoutLink.machine, checkoutLinks, CheckoutLink.statusAt, CheckoutLink.expiry))
})
