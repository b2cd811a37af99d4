import { DateTime, Effect, Option, Schema } from "effect"
import { digitsOf, livingSince } from "../../../domain/access/EmailCode.ts"
import { dutyReminderMail } from "../../../domain/compliance/DutyReminder.ts"
import { donorNameOf } from "../../../domain/giving/Donor.ts"
import { CalendarDate } from "../../../domain/kernel/CalendarDate.ts"
import {
  DonationFormId,
  EmailCodeId,
  IntroductionId,
  RecommendationSetId,
  WebhookEndpointId
} from "../../../domain/kernel/Ids.ts"
import { languageOf } from "../../../domain/kernel/Language.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import type * as Mail from "../../../domain/kernel/Mail.ts"
import { plainText } from "../../../domain/kernel/MailContent.ts"
import { withoutInvisible } from "../../../domain/kernel/Text.ts"
import { cardCodeMail } from "../../../domain/outbox/CardCodeMail.ts"
import { type CardsClosedMail, cardsClosedMail } from "../../../domain/outbox/CardsClosedMail.ts"
import { endpointDisabledMail } from "../../../domain/outbox/EndpointDisabledMail.ts"
import type { CardGuard } from "../../../domain/payments/CardGuard.ts"
import { statusAt } from "../../../domain/sharing/Introduction.ts"
import { introductionMail } from "../../../domain/sharing/IntroductionMail.ts"
import { EmailCodeStore } from "../../../ports/access/EmailCodeStore.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { UserStore } from "../../../ports/access/UserStore.ts"
import { DisclosureStore } from "../../../ports/compliance/DisclosureStore.ts"
import { DonationFormStore } from "../../../ports/giving/DonationFormStore.ts"
import { Macs } from "../../../ports/kernel/Macs.ts"
import type { MailMessage } from "../../../ports/outbox/MailTransport.ts"
import { WebhookEndpointStore } from "../../../ports/outbox/WebhookEndpointStore.ts"
import { CardGuardStore } from "../../../ports/payments/CardGuardStore.ts"
import { IntroductionStore } from "../../../ports/sharing/IntroductionStore.ts"
import { RecommendationSetStore } from "../../../ports/sharing/RecommendationSetStore.ts"
import { makeDutyFinder } from "../../compliance/disclosure/DutyReminders.ts"
import { makeInviteUrls } from "../../sharing/introduction/InviteUrls.ts"
import type { Compose } from "./Compose.ts"
import { makePaymentFailed, makePaymentProcessing } from "./PaymentMails.ts"
import { makePaymentSummary, makeReceipt, makeYearlySummary } from "./Receipts.ts"

const makeIntroduction = Effect.gen(function* () {
  const introductions = yield* IntroductionStore
  const urls = yield* makeInviteUrls
  const asId = Schema.decodeUnknownOption(IntroductionId)

  const compose: Compose = Effect.fnUntraced(function* (mail, inviter, now) {
    const id = asId(mail.subject_id)
    const found = Option.isSome(id) ? yield* introductions.find(inviter.id, id.value) : Option.none()
    if (Option.isNone(found)) return Option.none()
    const { expires_at, invitee_email, invitee_message } = found.value
    if (!["PENDING", "VIEWED"].includes(statusAt(found.value, now))) return Option.none()
    return Option.map(yield* urls.working(found.value, inviter), (invite_url) => ({
      to: invitee_email,
      ...introductionMail({ inviter, invite_url, invitee_message, expires_at })
    }))
  })
  return compose
})

/** Whom a mail to an admin goes to: nobody who is none any more. */
const makeAdminOf = Effect.map(
  UserStore,
  ({ admins }) =>
    ({ organisation_id, recipient_id }: Mail.Mail) =>
      Effect.map(admins(organisation_id), (all) => all.find(({ id }) => id === recipient_id))
)

const makeEndpointDisabled = Effect.gen(function* () {
  const endpoints = yield* WebhookEndpointStore
  const adminOf = yield* makeAdminOf
  const asId = Schema.decodeUnknownOption(WebhookEndpointId)

  /** Nothing is said of an endpoint that has been switched on or deleted since, nor to who is no admin any more. */
  const compose: Compose = Effect.fnUntraced(function* (mail, organisation) {
    const id = asId(mail.subject_id)
    const found = Option.isSome(id) ? yield* endpoints.find(organisation.id, id.value) : Option.none()
    if (Option.isNone(found) || found.value.disabled_reason !== "delivery_failures") return Option.none()
    const admin = yield* adminOf(mail)
    if (admin === undefined) return Option.none()
    const said = endpointDisabledMail({ ...found.value, organisation, disabled_at: mail.created_at })
    return Option.some({ to: admin.email, ...said })
  })
  return compose
})

const makeDisclosureDuties = Effect.gen(function* () {
  const dutiesOf = yield* makeDutyFinder
  const disclosures = yield* DisclosureStore
  const adminOf = yield* makeAdminOf
  const asDay = Schema.decodeUnknownOption(CalendarDate)

  /** What is open now of the day's duties: nothing is said of those that were fulfilled since, nor to who is no admin any more. */
  const compose: Compose = Effect.fnUntraced(function* (mail, organisation) {
    const today = asDay(mail.subject_id)
    const admin = yield* adminOf(mail)
    if (Option.isNone(today) || admin === undefined) return Option.none()
    const duties = yield* dutiesOf(organisation, today.value, () => false)
    if (duties.length === 0) return Option.none()
    const first = duties.slice(0, Limits.dutiesInReminder)
    const named = yield* disclosures.donorsNamed(organisation.id, [...new Set(first.map(({ donor_id }) => donor_id))])
    const names = new Map(named.map((donor) => [donor.id, donorNameOf(donor)]))
    const listed = first.map((duty) => ({ ...duty, donor_name: names.get(duty.donor_id) ?? duty.donor_id }))
    const said = { organisation_name: organisation.name, today: today.value, listed, count: duties.length }
    return Option.some({ to: admin.email, ...dutyReminderMail(said) })
  })
  return compose
})

/** The mail with a code, unless it is worth nothing any more, or its key is gone. */
const makeCardCode = Effect.gen(function* () {
  const codes = yield* EmailCodeStore
  const macs = yield* Macs
  const asId = Schema.decodeUnknownOption(EmailCodeId)

  const compose: Compose = Effect.fnUntraced(function* (mail, organisation, now) {
    const id = asId(mail.subject_id)
    const found = Option.isSome(id) ? yield* codes.find(organisation.id, id.value) : Option.none()
    const living = Option.filter(found, ({ created_at }) => DateTime.isGreaterThan(created_at, livingSince(now)))
    if (Option.isNone(living)) return Option.none()
    const { email: to, id: code_id, language, token_key_id } = living.value
    const mac = yield* macs.make(token_key_id, "email_code", code_id)
    const said = { organisation, language: languageOf(language) }
    return Option.map(mac, (found) => ({ to, ...cardCodeMail({ ...said, code: digitsOf(found) }) }))
  })
  return compose
})

const makeCardsClosed = Effect.gen(function* () {
  const forms = yield* DonationFormStore
  const guards = yield* CardGuardStore
  const sets = yield* RecommendationSetStore
  const adminOf = yield* makeAdminOf
  const asForm = Schema.decodeUnknownOption(DonationFormId)
  const asSet = Schema.decodeUnknownOption(RecommendationSetId)

  /** The page that a guard is of; null for the guard of all forms. None for a page that is gone. */
  const pageOf = Effect.fnUntraced(function* ({ organisation_id, subject }: CardGuard) {
    const [form, set] = [asForm(subject), asSet(subject)]
    if (Option.isSome(form)) {
      const found = yield* forms.find(organisation_id, form.value)
      return Option.map(found, ({ name }): CardsClosedMail["page"] => ({ kind: "form", name }))
    }
    if (Option.isNone(set)) return Option.some<CardsClosedMail["page"]>(null)
    const found = yield* sets.find(organisation_id, set.value)
    return Option.map(found, ({ name }): CardsClosedMail["page"] => ({ kind: "recommendation set", name }))
  })

  /** Until when they are closed now: they may have been closed again since. */
  const compose: Compose = Effect.fnUntraced(function* (mail, organisation) {
    const [guard] = yield* guards.find(organisation.id, [mail.subject_id])
    const admin = yield* adminOf(mail)
    if (admin === undefined || guard === undefined || guard.closed_until === null) return Option.none()
    const { closed_until } = guard
    return Option.map(yield* pageOf(guard), (page) => ({
      to: admin.email,
      ...cardsClosedMail({ organisation, page, closed_until })
    }))
  })
  return compose
})

/** Makes the messages of mails from the records that they are about, as these are now; none when there is nothing left to say. */
export const makeMailMessages = Effect.gen(function* () {
  const organisations = yield* OrganisationStore
  const composers: { readonly [Template in Mail.Template]: Compose } = {
    introduction: yield* makeIntroduction,
    endpoint_disabled: yield* makeEndpointDisabled,
    disclosure_duties: yield* makeDisclosureDuties,
    receipt: yield* makeReceipt(false),
    receipt_correction: yield* makeReceipt(true),
    payment_summary: yield* makePaymentSummary(false),
    payment_summary_correction: yield* makePaymentSummary(true),
    card_code: yield* makeCardCode,
    yearly_summary: yield* makeYearlySummary,
    payment_processing: yield* makePaymentProcessing,
    payment_failed: yield* makePaymentFailed,
    cards_closed: yield* makeCardsClosed
  }

  return Effect.fnUntraced(function* (mail: Mail.Mail, now: DateTime.Utc) {
    const organisation = yield* organisations.find(mail.organisation_id)
    if (Option.isNone(organisation)) return Option.none<MailMessage>()
    const message = yield* composers[mail.template](mail, organisation.value, now)
    return Option.map(message, (said): MailMessage => {
      return { id: mail.id, ...said, to: withoutInvisible(said.to), text: plainText(said) }
    })
  })
})
