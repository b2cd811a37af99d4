import { Effect, Option } from "effect"
import fc from "fast-check"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import * as Introduction from "../../domain/sharing/Introduction.ts"
import { IntroductionStore } from "../../ports/sharing/IntroductionStore.ts"
import { RecipientAccountStore } from "../../ports/sharing/RecipientAccountStore.ts"
import * as Generators from "../Generators.ts"
import { expiry } from "./Expiry.ts"
import { rowFor } from "./MachineRows.ts"
import { recordStore } from "./RecordStores.ts"
import { at, freshId, linkOf, newOrganisation, storedIn } from "./Records.ts"
import { lawsOf, none, same, type Thoroughness, together, transactionOf } from "./Suite.ts"
import { newUser } from "./Users.ts"

const { law, must } = lawsOf(IntroductionStore)

type Stored = Introduction.Introduction

/** A pending introduction of the organisation that lasts an hour. */
const introductionOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<Stored> = {}) {
  const id = yield* freshId("introduction")
  const made = Introduction.create(
    { invitee_email: "bea@example.org", ttl_days: 1 },
    { id, organisation_id, token_key_id: "k", sent_at: at(0), at: at(0) }
  )
  const whole: Stored = { ...made, expires_at: at(3_600), ...given }
  return whole
})

export const newIntroduction = (organisation_id: OrganisationId, given: Partial<Stored> = {}) =>
  storedIn(IntroductionStore, introductionOf(organisation_id, given))

const unreferring = {
  accepted_organisation_id: null,
  accepted_by_user_id: null,
  linked_by_user_id: null,
  accepted_recipient_org_account_link_id: null
} as const

/** Stored records for a generated introduction to refer to, where it refers to any. */
const references = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Stored) {
  const external_id = given.external_id === null ? null : yield* freshId("request")
  if (Object.keys(unreferring).every((field) => new Map(Object.entries(given)).get(field) === null))
    return { external_id }
  const recipient = yield* newOrganisation()
  const link = yield* linkOf(organisation_id, recipient)
  yield* (yield* RecipientAccountStore).insert(link)
  const { id: user_id } = yield* newUser()
  return {
    external_id,
    accepted_organisation_id: given.accepted_organisation_id === null ? null : recipient.id,
    accepted_by_user_id: given.accepted_by_user_id === null ? null : user_id,
    linked_by_user_id: given.linked_by_user_id === null ? null : user_id,
    accepted_recipient_org_account_link_id: given.accepted_recipient_org_account_link_id === null ? null : link.id
  }
})

const takes =
  "IntroductionStore MUST fail with AlreadyTaken when the inviter has another introduction of the same external_id"

const limits = [
  law("an external id that differs in its case alone is another one", function* ({ store, id }) {
    const made = yield* Effect.forEach(["crm-1", "CRM-1"], (external_id) => newIntroduction(id, { external_id }))
    for (const each of made) same(yield* store.find(id, each.id), Option.some(each))
  }),

  must(
    "of many that count and insert at the same moment, each counts those before it",
    ["IntroductionStore.countForUpdate MUST let one transaction of an organisation after the other count and insert"],
    function* ({ store, id }) {
      const send = transactionOf(function* () {
        const count = yield* store.countForUpdate(id, at(0))
        yield* Effect.yieldNow
        if (count < 3) yield* newIntroduction(id)
        return count
      })
      const counts = yield* together(6, send)
      same(counts.toSorted(), [0, 1, 2, 3, 3, 3])
    }
  ),

  law("what counts was sent less than a day ago, and is neither viewed nor revoked", function* ({ store, id, other }) {
    const day = Limits.introductionWindowHours * 3_600
    yield* newIntroduction(id, { sent_at: at(10) })
    yield* newIntroduction(id, { sent_at: at(20), created_at: at(day), expires_at: at(2 * day), status: "EXPIRED" })
    yield* newIntroduction(id, { sent_at: at(20) })
    yield* newIntroduction(id, { sent_at: at(20), status: "VIEWED", viewed_at: at(21) })
    yield* newIntroduction(id, { sent_at: at(20), status: "EXPIRED", viewed_at: at(21) })
    yield* newIntroduction(id, { sent_at: at(20), status: "REVOKED", revoked_at: at(21) })
    yield* newIntroduction(other, { sent_at: at(20) })
    const moments = [50, day + 9.999, day + 10, day + 19.999, day + 20]
    const counts = yield* Effect.forEach(moments, (now) => store.countForUpdate(id, at(now)))
    same(counts, [3, 3, 2, 2, 0])
  })
]

/** The laws of {@link IntroductionStore}. */
export const introductions = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "introductions",
    port: IntroductionStore,
    arbitrary: Generators.introduction,
    schema: Introduction.Introduction,
    fresh: freshId("introduction"),
    parents: references,
    answers: Effect.fnUntraced(function* (introduction, other) {
      const store = yield* IntroductionStore
      same(yield* store.locate(introduction.id), Option.some(introduction))
      none(yield* store.locate(yield* freshId("introduction")))
      same(yield* store.countForUpdate(other, at(0)), 0)
    }),
    unique: [{ field: "external_id", must: takes, value: { external_id: "crm-1" } }],
    list: { spec: Introduction.listing, few: fc.constant(unreferring) }
  })(() => [
    ...limits,
    ...expiry({
      name: "introductions",
      port: IntroductionStore,
      make: (id, kind, given) => newIntroduction(id, { ...given, ...kind }),
      year: 1990,
      listing: Introduction.listing,
      asked: (status) => status.toLowerCase(),
      statuses: Introduction.Status.literals,
      rows: (at) => [rowFor(Introduction.machine, { _tag: "Expire", at })],
      expired: (introduction) => ({ ...introduction, status: "EXPIRED" }),
      open: { status: "ACCEPTED" },
      ended: [{ status: "LINKED" }, { status: "EXPIRED" }, { status: "REVOKED" }],
      kinds: [{}]
    })
  ])
