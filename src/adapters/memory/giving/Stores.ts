import { type DateTime, Effect, HashMap, Layer, Option, Result } from "effect"
import { type CheckoutLink, isExpired } from "../../../domain/giving/CheckoutLink.ts"
import { inOrder } from "../../../domain/giving/ConsentPrompt.ts"
import {
  type ContactLog,
  derivedColumns as logColumns,
  undeletedRule as undeletedLogRule
} from "../../../domain/giving/ContactLog.ts"
import { type Donation, undeletedRule } from "../../../domain/giving/Donation.ts"
import type { DonationForm } from "../../../domain/giving/DonationForm.ts"
import { type Donor, derivedColumns as donorColumns } from "../../../domain/giving/Donor.ts"
import { initial } from "../../../domain/giving/GivingSettings.ts"
import {
  derivedColumns as codeColumns,
  codeKey,
  type Namespace,
  type RevenueCode
} from "../../../domain/giving/RevenueCode.ts"
import type { DonorId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { unarchivedRule } from "../../../domain/kernel/Listing.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { CheckoutLinkStore } from "../../../ports/giving/CheckoutLinkStore.ts"
import { ConsentPromptStore } from "../../../ports/giving/ConsentPromptStore.ts"
import { ContactLogStore } from "../../../ports/giving/ContactLogStore.ts"
import { DonationFormStore } from "../../../ports/giving/DonationFormStore.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import type { DonorReferences } from "../../../ports/giving/DonorReferences.ts"
import { DonorStore } from "../../../ports/giving/DonorStore.ts"
import { GivingSettingsStore } from "../../../ports/giving/GivingSettingsStore.ts"
import { RefundStore } from "../../../ports/giving/RefundStore.ts"
import { RevenueCodeStore } from "../../../ports/giving/RevenueCodeStore.ts"
import { makeExpirable } from "../ExpirableRecords.ts"
import { type Memory, storeOf } from "../Memory.ts"
import { findBy, makeRecords, makeUniqueRecords, type RecordTable, tableOf, type UniqueTable } from "../Records.ts"
import { add, every, get, records, type State, where } from "../State.ts"

interface OfDonor {
  readonly donor_id: DonorId | null
  readonly updated_at: DateTime.Utc
}

/** Moves the records of a table from one donor to another. */
export const makeDonorReferences = <A extends OfDonor>(
  memory: Memory["Service"],
  place: Pick<RecordTable<A>, "table" | "with">
): DonorReferences => ({
  reassign: (organisation_id, donor_id, to, updated_at) =>
    memory.change((state) =>
      place.with(
        state,
        HashMap.modify(place.table(state), organisation_id, (records) =>
          HashMap.map(records, (record) =>
            record.donor_id === donor_id ? { ...record, donor_id: to, updated_at } : record
          )
        )
      )
    )
})

interface Booked {
  readonly organisation_id: string
  readonly revenue_code: string | null
  readonly revenue_code_id: string | null
}

/** The record with the present spelling of its revenue code. */
const bookedUnder = <A extends Booked>(state: State, record: A): A =>
  record.revenue_code_id === null
    ? record
    : Option.match(get(state.revenueCodes, record.organisation_id, record.revenue_code_id), {
        onNone: () => record,
        onSome: ({ code }) => ({ ...record, revenue_code: code })
      })

const checkoutLinks: RecordTable<CheckoutLink> = { ...tableOf("checkoutLinks"), archivable: true, shown: bookedUnder }

const checkoutLinkStore = storeOf(CheckoutLinkStore, (memory) => ({
  ...makeRecords(memory, checkoutLinks),
  ...makeDonorReferences(memory, checkoutLinks),
  expirable: makeExpirable(memory, (state) => every(state.checkoutLinks), isExpired)
}))

const consentPromptStore = storeOf(ConsentPromptStore, (memory) => ({
  ...makeRecords(memory, { ...tableOf("consentPrompts"), archivable: true }),
  asked: (organisation_id) =>
    memory.read((state) =>
      where(state.consentPrompts, organisation_id, (prompt) => Rule.holds(unarchivedRule, prompt)).toSorted(inOrder)
    )
}))

const contactLogs: RecordTable<ContactLog> = {
  ...tableOf("contactLogs"),
  columns: (log) => ({ ...log, ...logColumns(log) }),
  hidden: (log) => !Rule.holds(undeletedLogRule, log)
}

const contactLogStore = storeOf(ContactLogStore, (memory) => {
  const records = makeRecords(memory, contactLogs)
  return {
    ...records,
    ...makeDonorReferences(memory, contactLogs),
    find: (organisation_id, id) =>
      Effect.map(
        records.find(organisation_id, id),
        Option.filter((log) => Rule.holds(undeletedLogRule, log))
      )
  }
})

const donationForms: UniqueTable<DonationForm> = {
  ...tableOf("donationForms"),
  archivable: true,
  shown: bookedUnder,
  unique: { value: ({ slug }) => slug, record: "donation form", field: "slug" }
}

const donationFormStore = storeOf(DonationFormStore, (memory) => ({
  ...makeUniqueRecords(memory, donationForms),
  takenSlugs: (organisation_id, slugs) =>
    memory.read((state) =>
      Array.from(records(state.donationForms, organisation_id), ({ slug }) => slug).filter((slug) =>
        slugs.includes(slug)
      )
    )
}))

const donations: RecordTable<Donation> = {
  ...tableOf("donations"),
  hidden: (donation) => !Rule.holds(undeletedRule, donation),
  shown: bookedUnder
}

const donationStore = storeOf(DonationStore, (memory) => ({
  ...makeRecords(memory, donations),
  ...makeDonorReferences(memory, donations)
}))

/** The search words of each donor record, made once, because a search needs those of every donor. */
const knownWords = new WeakMap<Donor, ReadonlyArray<string>>()

export const wordsOf = (donor: Donor): ReadonlyArray<string> => {
  const words = knownWords.get(donor) ?? donorColumns(donor).words
  knownWords.set(donor, words)
  return words
}

const donorStore = storeOf(DonorStore, (memory) => {
  const records = makeRecords(memory, {
    ...tableOf("donors"),
    columns: (donor) => ({ ...donor, ...donorColumns(donor) }),
    archivable: true,
    words: wordsOf
  })
  return {
    ...records,
    findForShare: records.find,
    // Transactions run one after the other from their first read on.
    holdEmail: () => memory.read(() => undefined),
    reindex: () => Effect.succeed(0)
  }
})

const refunds = tableOf("refunds")

const refundStore = storeOf(RefundStore, (memory) => ({
  ...makeRecords(memory, refunds),
  ofDonation: findBy(memory, refunds, "donation_id"),
  ofCharge: findBy(memory, refunds, "charge_id")
}))

const revenueCodes: UniqueTable<RevenueCode> = {
  ...tableOf("revenueCodes"),
  columns: (code) => ({ ...code, ...codeColumns(code) }),
  archivable: true,
  unique: { value: (code) => `${code.namespace} ${codeKey(code.code)}`, record: "revenue code", field: "code" }
}

const byCode = (state: State, organisation_id: OrganisationId, namespace: Namespace, text: string) => {
  const key = codeKey(text)
  for (const code of records(state.revenueCodes, organisation_id)) {
    if (code.namespace === namespace && codeKey(code.code) === key) return Option.some(code)
  }
  return Option.none<RevenueCode>()
}

const revenueCodeStore = storeOf(RevenueCodeStore, (memory) => ({
  ...makeUniqueRecords(memory, revenueCodes),
  findOrInsert: (code) =>
    memory.decide((state) => {
      const found = byCode(state, code.organisation_id, code.namespace, code.code)
      const created = Option.isNone(found)
      const answer = { code: Option.getOrElse(found, () => code), created }
      const next = created ? { ...state, revenueCodes: add(state.revenueCodes, code) } : state
      return Result.succeed([answer, next])
    }),
  findByCode: (organisation_id, namespace, code) =>
    memory.read((state) => byCode(state, organisation_id, namespace, code))
}))

const givingSettingsStore = storeOf(GivingSettingsStore, (memory) => ({
  of: (organisation_id) =>
    memory.read((state) =>
      Option.getOrElse(HashMap.get(state.givingSettings, organisation_id), () => initial(organisation_id))
    ),
  set: (settings) =>
    memory.changeTable("givingSettings", (givingSettings) =>
      HashMap.set(givingSettings, settings.organisation_id, settings)
    ),
  logoOf: (organisation_id) => memory.read((state) => HashMap.get(state.logos, organisation_id)),
  setLogo: (logo) => memory.changeTable("logos", (logos) => HashMap.set(logos, logo.organisation_id, logo)),
  removeLogo: (organisation_id) => memory.changeTable("logos", (logos) => HashMap.remove(logos, organisation_id))
}))

export const layer = Layer.mergeAll(
  checkoutLinkStore,
  consentPromptStore,
  contactLogStore,
  donationFormStore,
  donationStore,
  givingSettingsStore,
  donorStore,
  refundStore,
  revenueCodeStore
)
