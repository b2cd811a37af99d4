import type { Checkout } from "../../src/domain.ts"

const submission: Checkout.Submission = {
  organisation: "sea",
  slug: "appeal",
  submission_id: "0196f3a1-7c2e-7b41-9d55-3f0e6a2b8c4d",
  amount_cents: 50_00,
  currency: "AUD",
  method: "card",
  request_id: "req_1"
}

/** What the examples of schemas and facts speak of without making it, beside the records of test/docs/GivenValues.ts. */
export const givenFacts: Readonly<Record<string, unknown>> = { submission }
