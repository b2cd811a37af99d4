import { type DateTime, Effect, Option, Struct } from "effect"
import { countedSince, digitsOf, type EmailCode, endsAt, livingSince } from "../../../domain/access/EmailCode.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import * as Mail from "../../../domain/kernel/Mail.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { emailKey } from "../../../domain/kernel/Text.ts"
import * as CardPass from "../../../domain/payments/CardPass.ts"
import type * as Checkout from "../../../domain/sharing/Checkout.ts"
import { EmailCodeStore } from "../../../ports/access/EmailCodeStore.ts"
import { realNow } from "../../../ports/kernel/AheadClock.ts"
import { Macs } from "../../../ports/kernel/Macs.ts"
import { MailOutbox } from "../../../ports/kernel/MailOutbox.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import type { CheckoutPage } from "./CheckoutPages.ts"

/** Nothing tells a wrong code from one that is too old, that was tried too often, or that was never sent. */
const wrongCode = () =>
  new InvalidInput({
    param: "email_code",
    message: `email_code must be one that was mailed for this gift within ${Limits.emailCodeMinutes} minutes, and tried less than ${Limits.emailCodeTries} times. Have another one sent.`
  })

/** For whose gift codes are mailed, and cards opened. */
type Asking = Pick<Checkout.CodeRequest, "email" | "submission_id">

/** How one is mailed. */
type Mailed = Pick<Checkout.CodeRequest, "email" | "language">

const subjectOf = (organisation: Organisation, page: CheckoutPage, asking: Asking): CardPass.Subject => ({
  organisation_id: organisation.id,
  page_id: page.id,
  submission_id: asking.submission_id,
  email_key: emailKey(asking.email)
})

/** What a code of a gift opens, as its row has it. */
const codeSubject = ({ page_id, submission_id }: CardPass.Subject): string => `${page_id} ${submission_id}`

const newCode = (
  subject: CardPass.Subject,
  { email, language = null }: Mailed,
  made: Pick<EmailCode, "created_at" | "id" | "token_key_id">
): EmailCode => ({
  ...Struct.pick(subject, ["organisation_id", "email_key"]),
  ...made,
  subject: codeSubject(subject),
  email,
  language,
  tries: 0
})

/** Mails codes to typed addresses, which open cards where they are closed. docs/decisions/0085. */
export const makeCardCodes = Effect.gen(function* () {
  const codes = yield* EmailCodeStore
  const macs = yield* Macs
  const mails = yield* MailOutbox
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const added = Effect.fnUntraced(function* (subject: CardPass.Subject, mailed: Mailed, now: DateTime.Utc) {
    const { organisation_id } = subject
    const made = { id: yield* tokens.id("emailCode"), token_key_id: macs.keyIds[0], created_at: now }
    const code = newCode(subject, mailed, made)
    // Beyond what may be mailed nothing is, and nobody is told: the page says how many are.
    if (!(yield* codes.add(code, countedSince(now)))) return
    const about = { organisation_id, template: "card_code", subject_id: code.id, recipient_id: null } as const
    yield* mails.add(Mail.create({ id: yield* tokens.id("mail"), ...about }, now))
  })

  const send = Effect.fnUntraced(function* (organisation: Organisation, page: CheckoutPage, asking: Asking & Mailed) {
    const now = yield* realNow
    yield* transaction.run(added(subjectOf(organisation, page, asking), asking, now))
    const requested: Checkout.CodeRequested = { expires_at: endsAt(now) }
    return requested
  })

  /** The pass of whoever has the code. Fails with {@link InvalidInput} for any other code. */
  const open = Effect.fnUntraced(function* (
    organisation: Organisation,
    page: CheckoutPage,
    asking: Asking & Pick<Checkout.EnteredCode, "email_code">
  ) {
    const now = yield* realNow
    const subject = subjectOf(organisation, page, asking)
    const tried = yield* transaction.run(codes.attempt({ ...subject, subject: codeSubject(subject) }, livingSince(now)))
    const digits = yield* Effect.forEach(tried, ({ id, token_key_id }) => macs.make(token_key_id, "email_code", id))
    if (!digits.some((mac) => Option.exists(mac, (found) => digitsOf(found) === asking.email_code)))
      return yield* wrongCode()
    const pass = { key_id: macs.keyIds[0], expires_at: CardPass.endsAt(now) }
    const mac = yield* macs.make(pass.key_id, "card_pass", CardPass.canonicalText(subject, pass))
    const opened: Checkout.OpenedCards = {
      card_pass: CardPass.write({ ...pass, mac: Option.getOrThrow(mac) }),
      expires_at: pass.expires_at
    }
    return opened
  })

  /** Whether a submission has the pass that opens cards for it. */
  const isOpen = Effect.fnUntraced(function* (
    organisation: Organisation,
    page: CheckoutPage,
    { card_pass, donor, submission_id }: Checkout.Submission
  ) {
    const pass = typeof card_pass === "string" ? CardPass.read(card_pass) : Option.none()
    const email = donor?.email
    if (Option.isNone(pass) || typeof email !== "string" || !CardPass.isOpenAt(pass.value, yield* realNow)) return false
    const subject = subjectOf(organisation, page, { email, submission_id })
    const { key_id, mac } = pass.value
    return yield* macs.verify(key_id, "card_pass", CardPass.canonicalText(subject, pass.value), mac)
  })

  return { isOpen, open, send } as const
})
