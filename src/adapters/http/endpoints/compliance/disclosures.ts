import { HttpApiGroup, OpenApi } from "effect/http-api"
import { disclosureOperations } from "../../../../app/compliance/Disclosures.ts"
import { beyond, get } from "../Declare.ts"
import { idOf, instant, page } from "../Example.ts"

const gift = idOf("donation")

const disclosure = {
  id: idOf("disclosure"),
  donor_id: idOf("donor"),
  jurisdiction: "AU",
  period: "2027",
  starts_on: "2027-01-01",
  ends_on: "2027-12-31",
  status: "PENDING",
  threshold_cents: 500_000,
  total_cents: 620_000,
  in_kind_cents: 0,
  cap_cents: 5_000_000,
  cap_used_cents: 620_000,
  cap_remaining_cents: 4_380_000,
  cap_level: "NONE",
  crossed_at: instant,
  due_at: instant,
  donation_ids: [gift],
  duties: [
    {
      number: 1,
      kind: "NOTICE",
      donation_id: gift,
      due_at: instant,
      opened_at: instant
    }
  ],
  created_at: instant,
  updated_at: instant
}

export class DisclosuresGroup extends HttpApiGroup.make("disclosures")
  .add(
    get(disclosureOperations.list, "list", "/disclosures", {
      description: `Newest first, or with sort=due_at the most urgent first, and then those of which nothing is due. A tool, not legal advice. ${beyond}`,
      example: { answer: page(disclosure) }
    }),
    get(disclosureOperations.read, "read", "/disclosures/:id", {
      description: `Its open duties come first, by when they are due. A tool, not legal advice. ${beyond}`,
      example: { answer: disclosure }
    })
  )
  .annotate(OpenApi.Description, "What the organisation owes authorities about donors' gifts.") {}
