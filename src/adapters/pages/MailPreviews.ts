import { dutyReminderMail } from "../../domain/compliance/DutyReminder.ts"
import { CalendarDate, startOfDay } from "../../domain/kernel/CalendarDate.ts"
import { DonationId, DonorId, PaymentId, WebhookEndpointId } from "../../domain/kernel/Ids.ts"
import { type Language, languages } from "../../domain/kernel/Language.ts"
import { Template } from "../../domain/kernel/Mail.ts"
import type { MailContent } from "../../domain/kernel/MailContent.ts"
import { cardCodeMail } from "../../domain/outbox/CardCodeMail.ts"
import { cardsClosedMail } from "../../domain/outbox/CardsClosedMail.ts"
import { endpointDisabledMail } from "../../domain/outbox/EndpointDisabledMail.ts"
import { paymentFailedMail, paymentProcessingMail } from "../../domain/outbox/PaymentMail.ts"
import {
  type PaymentSummaryFacts,
  paymentSummaryMail,
  type ReceiptFacts,
  receiptMail,
  yearlySummaryMail
} from "../../domain/outbox/ReceiptMail.ts"
import { introductionMail } from "../../domain/sharing/IntroductionMail.ts"
import { hashOf } from "../http/pipeline/Answers.ts"
import type { EdgeResponse } from "../http/pipeline/Handler.ts"
import type { PageRequest } from "../http/pipeline/PageHandler.ts"
import { mailHtml, mailStyle } from "../mail/MailDocument.tsx"
import { pageAnswer } from "./PageAnswer.ts"
import type { Texts } from "./texts/English.ts"
import { mailsPage } from "./views/MailsPage.tsx"

const day = CalendarDate.make("2026-06-30")
const at = startOfDay(day, "UTC")
const organisation = { name: "Riverside Relief", abn: "51824753556", is_sandbox: false, timezone: "Australia/Sydney" }

const receiptIn = (language: Language): ReceiptFacts => ({
  language,
  is_disclosed: false,
  is_year_over: false,
  organisation,
  settings: { fund_name: "Riverside Relief Fund", fund_abn: "53004085616", is_deductible: true },
  gift: {
    id: DonationId.make("don_01jqz6x8h4e5vb9m2k7ncw3t5d"),
    amount_cents: 5_000,
    refunded_amount_cents: 0,
    currency: "AUD",
    donation_day: day,
    payment_method: "card"
  },
  frequency: "MONTHLY",
  donor_name: "Ada <b>",
  is_correction: false
})

const summaryIn = (language: Language): PaymentSummaryFacts => ({
  language,
  organisation,
  payment: {
    id: PaymentId.make("rsp_01jqz6x8h4e5vb9m2k7ncw3t5d"),
    total_amount_cents: 5_000,
    currency: "AUD",
    payment_method_type: "card"
  },
  day,
  donor_name: "Ada",
  shares: [
    { recipient_name: "Food Bank", amount_cents: 3_000, refunded_amount_cents: 0 },
    { recipient_name: "Sea Rescue", amount_cents: 2_000, refunded_amount_cents: 0 }
  ],
  is_correction: false
})

/** Mails to an organisation's people and to those whom it invites, of facts that somebody made up. */
const staffSamples = {
  introduction: introductionMail({
    inviter: organisation,
    invitee_message: "Dear Lea,\n<b>come</b> & see",
    invite_url: "https://riverside.example.org/i/token",
    expires_at: at
  }),
  endpoint_disabled: endpointDisabledMail({
    id: WebhookEndpointId.make("whe_01jqz6x8h4e5vb9m2k7ncw3t5d"),
    description: "Ledger",
    url: "https://hooks.example.org/in",
    disabled_at: at,
    organisation
  }),
  disclosure_duties: dutyReminderMail({
    organisation_name: organisation.name,
    today: day,
    count: 2,
    listed: [
      {
        donor_id: DonorId.make("dnr_01jqz6x8h4e5vb9m2k7ncw3t5d"),
        donor_name: "Ada Lovelace",
        jurisdiction: "AU",
        period: "2025-26",
        kind: "NOTICE",
        due_on: day
      }
    ]
  }),
  cards_closed: cardsClosedMail({ organisation, page: { kind: "form", name: "Winter <b>" }, closed_until: at })
} satisfies Partial<Record<Template, MailContent>>

type DonorTemplate = Exclude<Template, keyof typeof staffSamples>

/** Mails to donors in a language, likewise. */
const donorSamplesIn = (language: Language): { readonly [T in DonorTemplate]: MailContent } => {
  const [receipt, summary] = [receiptIn(language), summaryIn(language)]
  return {
    receipt: receiptMail(receipt),
    receipt_correction: receiptMail({
      ...receipt,
      gift: { ...receipt.gift, refunded_amount_cents: 2_000 },
      is_correction: true
    }),
    payment_summary: paymentSummaryMail(summary),
    payment_summary_correction: paymentSummaryMail({
      ...summary,
      shares: summary.shares.map((share, index) => (index === 0 ? { ...share, refunded_amount_cents: 3_000 } : share)),
      is_correction: true
    }),
    card_code: cardCodeMail({ language, organisation, code: "012345" }),
    yearly_summary: yearlySummaryMail({
      ...receipt,
      year: { label: "2025-26", starts_on: CalendarDate.make("2025-07-01"), ends_on: day },
      gifts: [{ ...receipt.gift, refunded_amount_cents: 2_000 }, receipt.gift],
      sums: [{ currency: "AUD", gift_count: 2, amount_cents: 10_000, refunded_amount_cents: 2_000 }],
      is_again: false
    }),
    payment_processing: paymentProcessingMail({
      language,
      organisation,
      charge: { amount_cents: 5_000, currency: "AUD", method: "bank_transfer", status: "WAITING" },
      next_step: {
        _tag: "BankTransfer",
        account_name: "Riverside <b> Relief",
        bsb: "062-000",
        account_number: "12345678",
        reference: "NCW3T5D8",
        amount_cents: 5_000,
        currency: "AUD"
      },
      last_day: day,
      page: { url: "https://riverside.example.org/p/token", expires_at: at }
    }),
    payment_failed: paymentFailedMail({
      language,
      organisation,
      charge: {
        amount_cents: 5_000,
        currency: "AUD",
        failure_code: "insufficient_funds",
        method: "au_becs_debit",
        status: "FAILED"
      },
      renewal: { frequency: "MONTHLY", again_on: day, has_ended: false },
      page_url: null
    })
  }
}

const listPath = "/_mails"

/** A mail of a template, and where it is shown: in English, and in each other language that it is written in. */
interface Preview {
  readonly name: Template
  readonly path: string
  readonly content: MailContent
}

const previewsOf = (name: Template): ReadonlyArray<Preview> =>
  languages.flatMap((language) => {
    const content = { ...staffSamples, ...donorSamplesIn(language) }[name]
    const path = language === "en-AU" ? `${listPath}/${name}` : `${listPath}/${name}/${language}`
    return content.language === language ? [{ name, path, content }] : []
  })

const previews = Template.literals.flatMap(previewsOf)

/** The style of mails is theirs alone, and nothing in them runs. */
const mailPolicy = {
  "content-security-policy": `default-src 'none'; style-src ${hashOf(mailStyle)}; sandbox`
}

/** The mails of each template as a reader sees them, and the list of them, by their paths. */
export const mailPreviews: ReadonlyArray<
  readonly [path: string, answer: (request: PageRequest, texts: Texts) => EdgeResponse]
> = [
  [listPath, (request, texts) => pageAnswer(request, 200, mailsPage(texts, previews))],
  ...previews.map(
    ({ content, path }) =>
      [path, (request: PageRequest) => pageAnswer(request, 200, mailHtml(content), mailPolicy)] as const
  )
]
