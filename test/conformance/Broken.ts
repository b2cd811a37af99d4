import { Context, DateTime, Effect, Layer, Option } from "effect"
import { inOrder, listing as promptListing } from "../../src/domain/giving/ConsentPrompt.ts"
import type { DonorScore } from "../../src/domain/insight/Intelligence.ts"
import type { DonorId } from "../../src/domain/kernel/Ids.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import type { Mail } from "../../src/domain/kernel/Mail.ts"
import { AlreadyTaken } from "../../src/domain/kernel/Rejection.ts"
import type { Charge } from "../../src/domain/payments/Charge.ts"
import type { Introduction } from "../../src/domain/sharing/Introduction.ts"
import * as Ports from "../../src/ports.ts"
import type { Stores } from "../../src/testing/Conformance.ts"
import { queryOf } from "../../src/testing/conformance/Records.ts"
import { changePort } from "../support/ChangePort.ts"
import { memory } from "./Adapters.ts"

const broken = <I extends Stores, S extends object>(
  port: Context.Service<I, S>,
  breakIt: (good: S) => Partial<NoInfer<S>>
) => changePort(port, breakIt).pipe(Layer.provideMerge(memory))

/** Transactions that undo nothing. */
export const noRollback = broken(Ports.Transaction, () => ({ run: (effect) => effect }))

/** Effects that do not wait for the commit. */
export const earlyEffects = broken(Ports.Transaction, () => ({ afterCommit: (effect) => effect }))

export const slugTwice = broken(Ports.OrganisationStore, (good) => ({
  insert: (organisation) => good.insert({ ...organisation, slug: `${organisation.slug}-${organisation.id}` })
}))

export const endedReplaysForgotten = broken(Ports.DeliveryStore, (good) => ({
  replaysOf: (organisation_id, events) =>
    Effect.map(good.replaysOf(organisation_id, events), (found) => found.filter(({ status }) => status === "PENDING"))
}))

/** Outcomes of which none was received. */
export const allFailed = broken(Ports.DeliveryStore, (good) => ({
  settle: (outcomes) =>
    good.settle(
      outcomes.map((each) =>
        each.delivery.status === "DELIVERED" ? { ...each, delivery: { ...each.delivery, status: "FAILED" } } : each
      )
    )
}))

/** Deliveries that an executor holds are left out when those of their endpoint end. */
export const heldKept = broken(Ports.DeliveryStore, (good) => {
  const held = new Set<string>()
  return {
    claim: (options) =>
      Effect.tap(good.claim(options), ({ claimed }) =>
        Effect.sync(() => {
          for (const { delivery } of claimed) held.add(delivery.endpoint_id)
        })
      ),
    abandon: (organisation_id, endpoint_id, at) =>
      held.has(endpoint_id) ? Effect.void : good.abandon(organisation_id, endpoint_id, at)
  }
})

/** A lease that begins anew is an attempt. */
export const leaseCounts = broken(Ports.DeliveryStore, (good) => {
  const claims = new Map<string, ReadonlyArray<Ports.ClaimedDelivery>>()
  return {
    claim: (options) =>
      Effect.tap(good.claim(options), ({ claimed }) => Effect.sync(() => claims.set(options.lease_id, claimed))),
    renew: (lease_id, lease_millis) =>
      Effect.andThen(
        good.settle(
          (claims.get(lease_id) ?? []).map(({ delivery }) => ({
            delivery: { ...delivery, attempt_count: delivery.attempt_count + 1 },
            lease_id,
            attempt: null
          }))
        ),
        good.renew(lease_id, lease_millis)
      )
  }
})

/** Mails that are handed out again however they ended. */
export const endedMailsSent = broken(Ports.MailOutbox, (good) => {
  const kept: Array<Mail> = []
  return {
    add: (mail) => Effect.tap(good.add(mail), () => Effect.sync(() => kept.push(mail))),
    claim: (options) =>
      Effect.map(good.claim(options), ({ unreadable }) => ({
        claimed: kept.map((mail) => ({ mail, lease_id: options.lease_id })),
        unreadable
      }))
  }
})

export const formSlugTwice = broken(Ports.DonationFormStore, (good) => ({
  insert: (form) => good.insert({ ...form, slug: `${form.slug}-${form.id}` })
}))

/** A sweep that comes back to what it swept. */
export const sweptAgain = broken(Ports.CheckoutLinkStore, (good) => {
  const seen = new Map<string, Ports.Expirable>()
  return {
    expirable: (now, limit, except) =>
      Effect.map(good.expirable(now, limit, except), (found) => {
        for (const link of found) seen.set(link.id, link)
        return [...seen.values()].slice(0, limit)
      })
  }
})

export const revokedKeyFound = broken(Ports.ApiKeyStore, (good) => {
  const seen = new Map<string, Effect.Success<ReturnType<typeof good.findActive>>>()
  return {
    findActive: (hash) =>
      Effect.map(good.findActive(hash), (found) => {
        if (Option.isSome(found)) seen.set(hash, found)
        return seen.get(hash) ?? found
      })
  }
})

export const unsortedList = broken(Ports.DonorStore, (good) => ({
  list: (organisation_id, query) =>
    Effect.map(good.list(organisation_id, query), ({ data, has_more }) => ({ data: data.toReversed(), has_more }))
}))

/** Entries of which those that are deleted stay with their former donor. */
export const deletedLeftBehind = broken(Ports.ContactLogStore, (good) => ({
  reassign: (organisation_id, from, to, at) =>
    Effect.flatMap(good.list(organisation_id, queryOf({ limit: 100 })), ({ data }) =>
      Effect.forEach(
        data.filter(({ donor_id }) => donor_id === from),
        (log) => good.update({ ...log, donor_id: to, updated_at: at })
      )
    ).pipe(Effect.orDie, Effect.asVoid)
}))

/** Gifts of which the organisation's all move. */
export const everybodyMoved = broken(Ports.DonationStore, (good) => ({
  reassign: (organisation_id, _from, to, at) =>
    Effect.flatMap(good.list(organisation_id, queryOf({ limit: 100 })), ({ data }) =>
      Effect.forEach(data, ({ donor_id }) => good.reassign(organisation_id, donor_id, to, at))
    ).pipe(Effect.orDie, Effect.asVoid)
}))

/** Leaves behind whose link was paid through. */
export const linkLeftBehind = broken(Ports.PaymentStore, (good) => ({
  reassign: (organisation_id, from, to, at) =>
    Effect.gen(function* () {
      const before = yield* Effect.orDie(good.list(organisation_id, queryOf({})))
      yield* good.reassign(organisation_id, from, to, at)
      for (const { id, link_donor_id } of before.data) {
        const after = yield* good.find(organisation_id, id)
        if (Option.isSome(after)) yield* good.update({ ...after.value, link_donor_id })
      }
    })
}))

export const archivedAsked = broken(Ports.ConsentPromptStore, (good) => ({
  asked: (organisation_id) =>
    Effect.orDie(
      Effect.map(
        Effect.flatMap(
          Effect.fromResult(
            parse(promptListing, [
              ["limit", "100"],
              ["archived", "true"]
            ])
          ),
          (query) => good.list(organisation_id, query)
        ),
        ({ data }) => data.toSorted(inOrder)
      )
    )
}))

export const oldestAsked = broken(Ports.ConsentPromptStore, (good) => ({
  asked: (organisation_id) =>
    Effect.map(good.asked(organisation_id), (all) =>
      all.toSorted((a, b) => DateTime.toEpochMillis(a.created_at) - DateTime.toEpochMillis(b.created_at))
    )
}))

export const caseMatters = broken(Ports.RevenueCodeStore, (good) => ({
  findByCode: (organisation_id, namespace, code) =>
    Effect.map(
      good.findByCode(organisation_id, namespace, code),
      Option.filter((found) => found.code === code)
    )
}))

/** Looks first and writes later, so that two requests both find nothing. */
export const lateInsert = broken(Ports.RevenueCodeStore, (good) => ({
  findOrInsert: Effect.fnUntraced(function* (code) {
    const found = yield* good.findByCode(code.organisation_id, code.namespace, code.code)
    if (Option.isSome(found)) return { code: found.value, created: false }
    yield* Effect.yieldNow
    yield* Effect.ignore(good.insert(code))
    return { code, created: true }
  })
})).pipe(Layer.merge(Layer.succeed(Ports.Transaction, { run: (effect) => effect, afterCommit: (effect) => effect })))

/** Looks for donations, whatever the campaign's destination. */
export const donationsOnly = broken(Ports.CampaignStore, (good) => ({
  attributed: (campaign) => good.attributed({ ...campaign, destination_type: "donation_form" })
}))

/** What campaigns came to is kept in columns of 32 bits. */
export const narrowSums = broken(Ports.CampaignStore, (good) => ({
  attributed: (campaign) =>
    Effect.map(good.attributed(campaign), (came) => ({ ...came, amount_cents: came.amount_cents | 0 }))
}))

/** Scores of former computations stay. */
export const scoresAdded = broken(Ports.ScoreStore, (good) => {
  const kept = new Map<string, ReadonlyArray<DonorScore>>()
  return {
    replace: (organisation_id, computation, scores) => {
      const all = [...(kept.get(organisation_id) ?? []), ...scores]
      kept.set(organisation_id, all)
      return good.replace(organisation_id, computation, all)
    }
  }
})

/** Whoever was a member once is one for good. */
export const membersKept = broken(Ports.SegmentStore, (good) => {
  const kept = new Map<string, ReadonlyArray<DonorId>>()
  return {
    put: (segment, members) => {
      const all = [...(kept.get(segment.id) ?? []), ...members]
      kept.set(segment.id, all)
      return good.put(segment, all)
    }
  }
})

/** Sums that count every payment as one that came or will. */
export const failuresCounted = broken(Ports.PaymentStore, (good) => ({
  insert: (payment) =>
    good.insert({
      ...payment,
      payment_status: payment.payment_status === "FAILED" ? "PENDING" : payment.payment_status
    })
}))

export const deletedFound = broken(Ports.WebhookEndpointStore, (good) => ({ find: good.findForUpdate }))

export const eventsTwice = broken(Ports.Outbox, (good) => ({
  append: (events) => good.append(events.map((event) => ({ ...event, dedupe_key: null })))
}))

/** Outcomes that count whoever holds the delivery. */
export const anyLease = broken(Ports.DeliveryStore, (good) => {
  const leases = new Map<string, string>()
  return {
    claim: (options) =>
      Effect.tap(good.claim(options), ({ claimed }) =>
        Effect.sync(() => {
          for (const { delivery, lease_id } of claimed) leases.set(delivery.id, lease_id)
        })
      ),
    settle: (outcomes) =>
      good.settle(outcomes.map((each) => ({ ...each, lease_id: leases.get(each.delivery.id) ?? each.lease_id })))
  }
})

export const keysFolded = broken(Ports.IdempotencyStore, (good) => ({
  reserve: (scope, body_hashes, now) => good.reserve({ ...scope, key: scope.key.toLowerCase() }, body_hashes, now),
  keep: (scope, body_hash, answer, options) =>
    good.keep({ ...scope, key: scope.key.toLowerCase() }, body_hash, answer, options)
}))

/** Counts under the newest key alone. */
export const olderKeysForgotten = broken(Ports.MailOutbox, (good) => ({
  admit: (claimed, { address_hashes, ...options }) =>
    good.admit(claimed, { ...options, address_hashes: address_hashes.slice(0, 1) })
}))

/** Sends whatever was claimed. */
export const budgetsForgotten = broken(Ports.MailOutbox, () => ({ admit: () => Effect.succeed({ _tag: "Admitted" }) }))

export const oldestEntriesFirst = broken(Ports.AuditStore, (good) => ({
  list: (organisation_id, limit) => Effect.map(good.list(organisation_id, limit), (entries) => entries.toReversed())
}))

/** Secrets that are replaced whatever they are by now. */
export const replacedAnyway = broken(Ports.SealedStore, (good) => ({
  replace: (secret, sealed) =>
    Effect.flatMap(good.usage(DateTime.makeUnsafe(0)), (usage) =>
      Effect.flatMap(
        good.sealedWith(
          usage.map(({ key_id }) => key_id),
          DateTime.makeUnsafe(0),
          null,
          1_000_000
        ),
        (all) => {
          const present = all.find(({ id, kind }) => id === secret.id && kind === secret.kind)
          return good.replace(present ?? secret, sealed)
        }
      )
    )
}))

/** A walk whose pages are counted from its beginning, although what was replaced is there no more. */
export const pagesSkipped = broken(Ports.SealedStore, (good) => {
  let offset = 0
  return {
    sealedWith: (key_ids, now, after, limit) =>
      Effect.map(good.sealedWith(key_ids, now, null, 1_000_000), (all) => {
        offset = after === null ? 0 : offset + limit
        return all.slice(offset, offset + limit)
      })
  }
})

/** Events that are taken once more by a consumer that is known. */
export const consumersBeginAnew = broken(Ports.EventConsumerStore, (good) => ({
  register: (asked) => Effect.andThen(good.remove(asked.name), good.register(asked))
}))

/** Outcomes that are recorded whoever holds the event. */
export const anybodySettles = broken(Ports.EventConsumerStore, (good) => ({
  settle: (_, outcomes) =>
    Effect.as(
      Effect.forEach(outcomes, ({ item }) => good.update(item)),
      new Set(outcomes.map(({ item }) => item.position))
    )
}))

/** A claim that does not look at subjects: what is skipped there is handed out next. */
export const subjectsForgotten = broken(Ports.EventConsumerStore, (good) => ({
  claim: ({ lease_id, limit, name }) =>
    Effect.map(good.waiting(name, { limit, failed: false }), (items) =>
      items.map((item) => ({ item, lease_id, event: Option.none() }))
    )
}))

/** References that several charges have, as each is kept with its charge's id. */
export const referencesShared = broken(Ports.ChargeStore, (good) => {
  const own = (charge: Charge): Charge =>
    charge.reference === null ? charge : { ...charge, reference: `${charge.reference} ${charge.id}` }
  return { insert: (charge) => good.insert(own(charge)), update: (charge) => good.update(own(charge)) }
})

/** An insert that refuses a second record of a key. */
const once = <A extends { readonly id: string }>(
  insert: (record: A) => Effect.Effect<void, AlreadyTaken>,
  field: string,
  keyOf: (record: A) => string | null
) => {
  const holders = new Map<string, string>()
  return (record: A) => {
    const key = keyOf(record)
    if (key === null) return insert(record)
    const holder_id = holders.get(key)
    if (holder_id !== undefined) return Effect.fail(new AlreadyTaken({ record: "record", field, holder_id }))
    return Effect.tap(insert(record), () => Effect.sync(() => holders.set(key, record.id)))
  }
}

/** References that an organisation has once, whichever the integration. */
export const referencesOfOrganisations = broken(Ports.ChargeStore, (good) => ({
  insert: once<Charge>(good.insert, "reference", ({ organisation_id, reference }) =>
    reference === null ? null : `${organisation_id} ${reference}`
  )
}))

/** External ids of which two are one when they differ in their case alone. */
export const externalIdsFolded = broken(Ports.IntroductionStore, (good) => ({
  insert: once<Introduction>(good.insert, "external_id", ({ external_id, organisation_id }) =>
    external_id === null ? null : `${organisation_id} ${external_id.toLowerCase()}`
  )
}))

/** Charges that nobody looks at once they have ended. */
export const endedLeftOut = broken(Ports.ChargeStore, (good) => ({
  update: (charge) => good.update(charge.ended_at === null ? charge : { ...charge, look_at: null })
}))

/** Lines that are kept as often as they come. */
export const linesTwice = broken(Ports.CreditStore, (good) => ({
  add: (organisation_id, credits) =>
    good.add(
      organisation_id,
      credits.map((credit) => ({ ...credit, digest: `${credit.digest} ${credit.id}` }))
    )
}))

/** Events that are kept again each time they come. */
export const noticesAgain = broken(Ports.NoticeStore, (good) => ({
  add: (notice) => good.add({ ...notice, event_id: `${notice.event_id} ${notice.id}` })
}))

/** Notices that are concluded whatever became of them meanwhile. */
export const noticesConcludedAnyway = broken(Ports.NoticeStore, (good) => ({
  conclude: (changes) => Effect.forEach(changes, ({ after }) => good.update(after), { discard: true })
}))

/** Balances that are not exact where they are large. */
export const balancesOfDoubles = broken(Ports.LedgerStore, (good) => ({
  balances: Effect.map(good.balances, (all) =>
    all.map((each) => ({ ...each, balances: { ...each.balances, donor: BigInt(Number(each.balances.donor)) } }))
  )
}))

/** Every request makes a charge of its own. */
export const keysUnknown = broken(Ports.TestBank, (good) => ({
  findOrInsert: (charge, since) => good.findOrInsert({ ...charge, idempotency_key: null }, since)
}))

/** Columns that keep so many characters of a text. */
export const narrowColumns = broken(Ports.ContactLogStore, (good) => ({
  insert: (log) => good.insert({ ...log, notes: log.notes?.slice(0, 255) ?? null }),
  update: (log) => good.update({ ...log, notes: log.notes?.slice(0, 255) ?? null })
}))

/** Texts that are kept in another form of Unicode. */
export const textsNormalised = broken(Ports.RevenueCodeStore, (good) => ({
  insert: (code) => good.insert({ ...code, description: code.description?.normalize() ?? null }),
  update: (code) => good.update({ ...code, description: code.description?.normalize() ?? null })
}))

/** Amounts that are kept as dollars, in floating point. */
export const amountsOfFloats = broken(Ports.DisputeStore, (good) => ({
  insert: (dispute) => good.insert({ ...dispute, amount_cents: Math.fround(dispute.amount_cents) }),
  update: (dispute) => good.update({ ...dispute, amount_cents: Math.fround(dispute.amount_cents) })
}))

/** Tariffs that begin with a whole second. */
export const wholeSeconds = broken(Ports.TariffStore, (good) => ({
  set: (tariff) => good.set({ ...tariff, effective_from: DateTime.startOf(tariff.effective_from, "second") })
}))

/** Conditions by their columns, so that of two on one the last counts. */
export const lastConditions = broken(Ports.ChargeStore, (good) => ({
  list: (organisation_id, query) =>
    good.list(organisation_id, {
      ...query,
      conditions: [...new Map(query.conditions.map((each) => [each.column, each])).values()]
    })
}))

/** Bounds that are among what is after them. */
export const boundsIncluded = broken(Ports.ChargeStore, (good) => ({
  list: (organisation_id, query) =>
    good.list(organisation_id, {
      ...query,
      conditions: query.conditions.map((each) => (each.operator === "gt" ? { ...each, operator: "gte" } : each))
    })
}))

/** Nothing after a record that the filter leaves out. */
export const cursorsFiltered = broken(Ports.ChargeStore, (good) => ({
  list: Effect.fnUntraced(function* (organisation_id, query) {
    const page = yield* good.list(organisation_id, query)
    if (query.starting_after === null) return page
    const { data } = yield* good.list(organisation_id, { ...query, starting_after: null, limit: 100 })
    return data.some(({ id }) => id === query.starting_after) ? page : { data: [], has_more: false }
  })
}))

const isInside = Context.Reference("test/isInside", { defaultValue: () => false })

/** A transaction inside another one is no savepoint: what failed there is written with the rest. */
export const noSavepoints = broken(Ports.Transaction, (good) => ({
  run: (effect) =>
    Effect.flatMap(isInside, (is) => (is ? effect : good.run(Effect.provideService(effect, isInside, true))))
}))

/** Addresses that are kept in lower case. */
export const addressesFolded = broken(Ports.UserStore, (good) => ({
  insert: (user) => good.insert({ ...user, email: user.email.toLowerCase() })
}))
