import { DateTime, Result } from "effect"
import fc from "fast-check"
import * as CheckoutLink from "../../domain/giving/CheckoutLink.ts"
import * as ConsentPrompt from "../../domain/giving/ConsentPrompt.ts"
import * as ContactLog from "../../domain/giving/ContactLog.ts"
import * as Donation from "../../domain/giving/Donation.ts"
import * as DonationForm from "../../domain/giving/DonationForm.ts"
import * as Refund from "../../domain/giving/Refund.ts"
import * as RevenueCode from "../../domain/giving/RevenueCode.ts"
import { patchOf } from "../Arbitraries.ts"
import { isReached } from "../InTime.ts"
import {
  again,
  changeCommand,
  charity,
  hour,
  modelOf,
  noChange,
  patchOrEnd,
  patchOutcome,
  real,
  start,
  stateOf,
  timedCommand,
  unlessGone
} from "./Charity.ts"

/** Around the amounts that a form suggests, so that the rules of a form are met from both sides. */
const amount = fc.constantFrom(null, 1_000, 2_500, 5_000, 25_000, 30_000)

const formChanges = patchOf({
  title: fc.constantFrom("Winter appeal", "For the winter"),
  description: fc.constantFrom(null, "A bed for each night"),
  minimum_amount_cents: amount,
  maximum_amount_cents: amount
})

/** The status that a PATCH names for a command. */
const named = { Activate: "ACTIVE", Pause: "PAUSED", Resume: "ACTIVE" } as const

/** Forms that are changed, activated, paused and archived, beside {@link DonationForm.machine}. */
export const donationForms = modelOf(DonationForm.machine, (driven) => ({
  commands: fc.oneof(
    { weight: 3, arbitrary: changeCommand("Change", formChanges) },
    { weight: 4, arbitrary: timedCommand("Activate", "Pause", "Resume") },
    { weight: 1, arbitrary: timedCommand("Archive") }
  ),
  fields: Object.keys(DonationForm.DonationFormRecord.fields).filter((field) => field !== "hosted_page_url"),
  open: async () => {
    const { calls, id: organisation_id } = await charity(driven)
    const shown = await calls.forms.create({ name: "Winter appeal" })
    const born = stateOf(DonationForm.DonationForm, shown, { organisation_id })
    const { archive, read, update } = calls.forms
    return real(driven, calls, born, read, (command: DonationForm.Command) => {
      if (command._tag === "Archive") return archive(born.id)
      return update(born.id, command._tag === "Change" ? command.changes : { status: named[command._tag] })
    })
  },
  answers: (decides, state, command) => {
    const { status } = state
    if (command._tag === "Archive") {
      return status === "ARCHIVED"
        ? again(DonationForm.machine, "donation_form.archived", state, command)
        : decides(state, command)
    }
    if (command._tag === "Change") return patchOutcome(status === "ARCHIVED", decides, state, command)
    if (named[command._tag] === status) return noChange(state)
    const isActivation = named[command._tag] === "ACTIVE"
    return decides(state, isActivation ? { ...command, _tag: status === "PAUSED" ? "Resume" : "Activate" } : command)
  },
  refusal: ({ _tag }, { status }) => {
    if (status === "ARCHIVED") return "RecordArchived"
    return _tag === "GuardRefused" ? "InvalidInput" : _tag
  }
}))

const expires_at = DateTime.add(start, { hours: 48 })

const linkChanges = patchOf({
  amount_cents: fc.integer({ min: 1, max: 3 }),
  description: fc.constantFrom(null, "Gala dinner"),
  expires_at: fc.constantFrom(null, DateTime.add(start, { hours: 120 })),
  payment_methods: fc.constantFrom(["card"] as const, ["card", "payto"] as const)
})

const linkCommands: fc.Arbitrary<CheckoutLink.Command> = fc.oneof(
  { weight: 4, arbitrary: changeCommand("Change", linkChanges) },
  { weight: 3, arbitrary: timedCommand("Expire", "Cancel") },
  { weight: 1, arbitrary: timedCommand("Archive") }
)

/**
 * Links that are changed, cancelled, archived, and expired by a sweep, beside {@link CheckoutLink.machine}. Every read
 * shows an expiry before the sweep writes it.
 */
export const checkoutLinks = modelOf(CheckoutLink.machine, (driven) => ({
  commands: linkCommands,
  fields: ["code", ...Object.keys(CheckoutLink.eventData.fields)],
  shown: (link, at = start) => ({
    ...link,
    status: link.status === "ACTIVE" && isReached(link.expires_at, at) ? "EXPIRED" : link.status
  }),
  open: async () => {
    const { calls, id: organisation_id } = await charity(driven)
    const shown = await calls.checkoutLinks.create({
      donor_email: "mary@example.org",
      amount_cents: 2,
      expires_at: DateTime.formatIso(expires_at)
    })
    const hidden = { organisation_id, pending_bank_transfer: false }
    const born = stateOf(CheckoutLink.CheckoutLink, shown, hidden)
    const { archive, cancel, read, update } = calls.checkoutLinks
    return real(driven, calls, born, read, (command: CheckoutLink.Command) => {
      if (command._tag === "Change") return update(born.id, command.changes)
      if (command._tag === "Expire") return driven.almoner.sweep()
      return command._tag === "Cancel" ? cancel(born.id) : archive(born.id)
    })
  },
  answers: (decides, state, command) => {
    const isArchived = state.archived_at !== null
    if (command._tag === "Expire") {
      // The sweep finds what there is to do: nothing is refused.
      const swept = decides(state, isArchived ? { ...command, _tag: "ExpireArchived" } : command)
      return Result.isFailure(swept) || state.status !== "ACTIVE" ? noChange(state) : swept
    }
    if (command._tag === "Archive" && isArchived) {
      return again(CheckoutLink.machine, "checkout_link.archived", state, command)
    }
    return command._tag === "Change" ? patchOutcome(isArchived, decides, state, command) : decides(state, command)
  },
  refusal: ({ _tag }, { archived_at }) => (archived_at === null ? _tag : "RecordArchived")
}))

const instant = fc.constantFrom(null, start, DateTime.add(start, { days: 7 }))

const logChanges = patchOf({
  contact_method: fc.constantFrom("PHONE" as const, "LETTER" as const),
  notes: fc.constantFrom(null, "Left a message."),
  follow_up_at: instant,
  follow_up_completed_at: instant
})

const hidden = ["organisation_id", "deleted_at"]

/** Entries about contacts that are changed and deleted, beside {@link ContactLog.machine}. A deleted one is not shown. */
export const contactLogs = modelOf(ContactLog.machine, (driven) => ({
  commands: patchOrEnd(logChanges, "Delete"),
  fields: Object.keys(ContactLog.ContactLog.fields).filter((field) => !hidden.includes(field)),
  shown: (log) => (log.deleted_at === null ? log : {}),
  open: async () => {
    const { calls, id: organisation_id } = await charity(driven)
    const { create, read, delete: remove, update } = calls.contactLogs
    const { id: donor_id } = await calls.donors.create({ first_name: "Mary" })
    const shown = await create(donor_id, { contact_method: "PHONE" })
    const born = stateOf(ContactLog.ContactLog, shown, { organisation_id })
    const readIt = (id: string) => unlessGone(read(donor_id, id))
    return real(driven, calls, born, readIt, (command: ContactLog.Command) =>
      command._tag === "Delete" ? remove(donor_id, born.id) : update(donor_id, born.id, command.changes)
    )
  },
  answers: (decides, state, command) => patchOutcome(state.deleted_at !== null, decides, state, command),
  // A deleted entry is none that callers know.
  refusal: () => "NotFound"
}))

const promptChanges = patchOf({
  text: fc.constantFrom("May we write?", "May we call?"),
  position: fc.integer({ min: 1, max: 2 })
})

/** Consent prompts that staff change and archive, beside {@link ConsentPrompt.machine}. */
export const consentPrompts = modelOf(ConsentPrompt.machine, (driven) => ({
  commands: patchOrEnd(promptChanges, "Archive"),
  fields: Object.keys(ConsentPrompt.ConsentPromptRecord.fields),
  open: async () => {
    const { caller, calls, id: organisation_id } = await charity(driven)
    const { archive, create, read, update } = driven.almoner.consentPrompts
    const born = stateOf(ConsentPrompt.ConsentPrompt, await create(caller, { text: "May we write?" }), {
      organisation_id
    })
    return real(
      driven,
      calls,
      born,
      (id) => read(caller, id),
      (command: ConsentPrompt.Command) =>
        command._tag === "Archive" ? archive(caller, born.id) : update(caller, born.id, command.changes)
    )
  },
  answers: (decides, state, command) => patchOutcome(state.archived_at !== null, decides, state, command),
  refusal: () => "RecordArchived"
}))

const codeChanges = patchOf({
  code: fc.constantFrom("GALA", "Gala", "APPEAL"),
  description: fc.constantFrom(null, "Winter appeal")
})

const assignment = fc.record({
  _tag: fc.constant("Assign" as const),
  at: hour,
  jurisdiction: fc.constantFrom(null, "AU")
})

/** Revenue codes that are changed, assigned and archived, beside {@link RevenueCode.machine}. */
export const revenueCodes = modelOf(RevenueCode.machine, (driven) => ({
  commands: fc.oneof(patchOrEnd(codeChanges, "Archive"), assignment),
  fields: Object.keys(RevenueCode.RevenueCodeRecord.fields),
  open: async () => {
    const { calls, caller, id: organisation_id } = await charity(driven)
    const shown = await calls.revenueCodes.create({ code: "GALA" })
    const born = stateOf(RevenueCode.RevenueCode, shown, { organisation_id })
    const { archive, read, update } = calls.revenueCodes
    const assign = async ({ jurisdiction }: { readonly jurisdiction: string | null }) => {
      const { code } = stateOf(RevenueCode.RevenueCode, await read(born.id), { organisation_id })
      return driven.almoner.revenueCodes.assign(caller, { code, jurisdiction })
    }
    return real(driven, calls, born, read, (command: RevenueCode.Command) => {
      if (command._tag === "Assign") return assign(command)
      return command._tag === "Archive" ? archive(born.id) : update(born.id, command.changes)
    })
  },
  answers: (decides, state, command) => {
    const isArchived = state.archived_at !== null
    if (command._tag !== "Assign") return patchOutcome(isArchived, decides, state, command)
    return !isArchived && command.jurisdiction === state.jurisdiction ? noChange(state) : decides(state, command)
  },
  refusal: () => "RecordArchived"
}))

const refundCommands: fc.Arbitrary<Refund.Command> = fc.record({
  _tag: fc.constant("Succeed" as const),
  at: hour,
  processor_reference: fc.constantFrom(null, "re_1")
})

/**
 * Refunds of gifts that were taken elsewhere, beside {@link Refund.machine}: they are born settled, and not settled again. One
 * that succeeded fails only where a processor takes it back.
 */
export const refunds = modelOf(Refund.machine, (driven) => ({
  birth: Refund.births.recorded,
  commands: refundCommands,
  fields: Object.keys(Refund.RefundRecord.fields),
  open: async () => {
    const { calls, caller, id: organisation_id } = await charity(driven)
    const { create, listRefunds, refund } = calls.donations
    const { id: donor_id } = await calls.donors.create({ first_name: "Mary" })
    const gift = { donor_id, donation_type: "MONETARY", amount_cents: 6, donation_date: "2025-12-24" }
    const { id: donation_id } = await create(gift)
    const refunded = await refund(donation_id, { amount_cents: 2 })
    const born = stateOf(Refund.Refund, refunded.refund, { organisation_id, is_beside_gift: false })
    const read = async (id: string) => (await listRefunds(donation_id)).data.find((each) => each.id === id) ?? {}
    const { fail, settle } = driven.almoner.refunds
    return real(driven, calls, born, read, (command: Refund.Command) =>
      command._tag === "Fail"
        ? fail(caller, born.id)
        : settle(caller, born.id, { processor_reference: command.processor_reference })
    )
  }
}))

type Refunding = Extract<Donation.Command, { readonly _tag: "RefundPart" | "RefundRest" }>

const giftCommands: fc.Arbitrary<Refunding> = fc.record({
  _tag: fc.constantFrom("RefundPart", "RefundRest"),
  at: hour,
  amount_cents: fc.integer({ min: 1, max: 6 })
})

/**
 * Gifts that are recorded and refunded, beside {@link Donation.machine}. The amount alone decides whether a refund is a
 * part or the rest. Other rows belong to processors of payments.
 */
export const donations = modelOf(Donation.machine, (driven) => ({
  birth: Donation.births.written,
  commands: giftCommands,
  fields: Object.keys(Donation.DonationDetail.fields),
  open: async () => {
    const { calls, id: organisation_id } = await charity(driven)
    const { id: donor_id } = await calls.donors.create({ first_name: "Mary" })
    const { id } = await calls.donations.create({
      donor_id,
      donation_type: "MONETARY",
      amount_cents: 6,
      donation_date: "2025-12-24"
    })
    const hidden = { organisation_id, donation_day: "2025-12-24", consent_responses: [] }
    const born = stateOf(Donation.Donation, await calls.donations.read(id), hidden)
    return real(driven, calls, born, calls.donations.read, (command: Donation.Command) => {
      if (!("amount_cents" in command)) throw new RangeError(`${command._tag} is no use case`)
      return calls.donations.refund(id, { amount_cents: command.amount_cents })
    })
  },
  answers: (decides, state, command) => {
    if (!("amount_cents" in command)) return decides(state, command)
    const isRest = command.amount_cents === state.amount_cents - state.refunded_amount_cents
    return decides(state, { ...command, _tag: isRest ? "RefundRest" : "RefundPart" })
  },
  // service-spec, States and transitions: Donation; decisions, section 5: Donation. Each type of event is delivered once for each gift.
  published: (emitted) =>
    emitted.filter(({ type }, index) => emitted.findIndex((other) => other.type === type) === index),
  // More than what is left is a fault of the field.
  refusal: ({ _tag }) => (_tag === "GuardRefused" ? "InvalidInput" : _tag)
}))
