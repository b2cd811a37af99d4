import { Effect, Schema } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { uncheckedService } from "../../../../app/access/operation/ServiceChecks.ts"
import { Donors, donorOperations } from "../../../../app/giving/Donors.ts"
import { type Donor, DonorRecord } from "../../../../domain/giving/Donor.ts"
import type { ListQuery, Page } from "../../../../domain/kernel/Listing.ts"
import type { OwnHandlersOf } from "../../pipeline/Handler.ts"
import { del, get, patch, post } from "../Declare.ts"
import { idOf, instant, later, page } from "../Example.ts"

const meanings = {
  filters: "The filters that were applied, as they were sent; null each when it was not.",
  eq: "Equal to this.",
  in: "One of these.",
  not_in: "None of these.",
  gt: "Greater, or later.",
  gte: "Greater or equal, or not before.",
  lt: "Less, or earlier.",
  lte: "Less or equal, or not after."
}

const newDonor = { first_name: "Ada", last_name: "Okafor", email: "ada@example.org" }

export const exampleDonor = {
  id: idOf("donor"),
  donor_type: "INDIVIDUAL",
  ...newDonor,
  country: "AU",
  do_not_contact: false,
  created_at: instant,
  updated_at: instant
}

const FilterEcho = Schema.NullOr(
  Schema.Struct({
    eq: Schema.optionalKey(Schema.String),
    in: Schema.optionalKey(Schema.Array(Schema.String)),
    not_in: Schema.optionalKey(Schema.Array(Schema.String)),
    gt: Schema.optionalKey(Schema.String),
    gte: Schema.optionalKey(Schema.String),
    lt: Schema.optionalKey(Schema.String),
    lte: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "FilterEcho", meanings, description: "A filter as it was sent" })
)

/** A page of donors with the filters as they were sent. service-spec, Donor. */
export const DonorPage = Schema.Struct({
  data: Schema.Array(DonorRecord),
  has_more: Schema.Boolean,
  filters: Schema.Struct({
    search: Schema.NullOr(Schema.String),
    email: FilterEcho,
    donor_type: FilterEcho,
    created_at: FilterEcho,
    segment: Schema.NullOr(Schema.String),
    sort: Schema.NullOr(Schema.String)
  })
}).annotate({ identifier: "DonorPage", meanings })

export class DonorsGroup extends HttpApiGroup.make("donors")
  .add(
    post(donorOperations.create, "create", "/donors", {
      status: 201,
      description:
        "Individuals need a name or an e-mail address; organisations and trusts need organisation_name. Donors may share an e-mail address.",
      example: { request: newDonor, answer: exampleDonor }
    }),
    get(donorOperations.list, "list", "/donors", {
      success: DonorPage,
      description:
        "Newest first unless sorted. The answer repeats the filters as they were sent, but for updated_at. To copy what changes, see Pagination and filters.",
      example: {
        answer: {
          ...page(exampleDonor),
          filters: {
            search: "ada",
            email: null,
            donor_type: null,
            created_at: { gte: "2026-04-01" },
            segment: null,
            sort: "-created_at"
          }
        }
      }
    }),
    get(donorOperations.read, "read", "/donors/:id", {
      description: "Archived donors can be read, too.",
      example: { answer: exampleDonor }
    }),
    patch(donorOperations.update, "update", "/donors/:id", {
      description:
        "An absent field stays; null clears it. A change of the profile revokes the donor's personalised links. A body that changes nothing emits nothing.",
      example: {
        request: { phone: "+61 2 5550 0000" },
        answer: { ...exampleDonor, phone: "+61 2 5550 0000", updated_at: later }
      }
    }),
    del(donorOperations.archive, "archive", "/donors/:id", {
      description: "Nothing is erased. A repetition answers the same record and emits the event again.",
      example: { answer: { ...exampleDonor, archived_at: later, updated_at: later } }
    }),
    post(donorOperations.merge, "merge", "/donors/:id/merge", {
      description:
        "The path's donor survives: it gets the duplicate's gifts, contacts, links and subscriptions, and its empty fields are filled. Who opted out of contact as either stays out. The duplicate is archived. The personalised links of both are revoked.",
      example: {
        request: { duplicate_donor_id: "dnr_01jqz6x8h4e5vb9m2k7ncw3t5e" },
        answer: { ...exampleDonor, phone: "+61 2 5550 0000", updated_at: later }
      }
    })
  )
  .annotate(OpenApi.Description, "The people, organisations and trusts that give.") {}

/** The page with its filters as they were sent. service-spec, Donor. */
const echoed = ({ sent }: ListQuery, page: Page<Donor>) => ({
  ...page,
  filters: {
    search: sent.search,
    email: sent.filters["email"] ?? null,
    donor_type: sent.filters["donor_type"] ?? null,
    created_at: sent.filters["created_at"] ?? null,
    segment: sent.segment,
    sort: sent.sort
  }
})

export const donorsHandlers = Effect.map(
  Effect.map(Donors, uncheckedService),
  (donors): OwnHandlersOf<typeof DonorsGroup> => ({
    list: { run: ({ list }) => Effect.map(donors.list(list), (page) => echoed(list, page)) }
  })
)
