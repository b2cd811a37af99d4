import type { DateTime } from "effect"
import { momentText } from "../../../domain/kernel/MailContent.ts"
import type * as Checkout from "../../../domain/sharing/Checkout.ts"
import { moneyText } from "../MoneyText.ts"
import type { Texts } from "../texts/English.ts"
import { Prose, Summary } from "./Components.tsx"
import { Document, render } from "./Document.tsx"
import { stripeHost } from "./StripeScript.ts"

/** The state that a page shows: one that waits looks again until it is another one. */
export const stateOf = ({ next_step, status }: Checkout.ProgressPage): string =>
  `${status}${next_step === null ? "" : ` ${next_step._tag}`}`

/** Whether the donor's next step is one that Stripe's script shows. */
export const asksStripe = ({ next_step, processor }: Checkout.ProgressPage): boolean =>
  processor === "stripe" && next_step?._tag === "Component"

const isOver = ({ failure_code, status }: Checkout.ProgressPage): boolean =>
  status === "SUCCEEDED" || status === "FAILED" || status === "CANCELLED" || failure_code !== null

interface Part {
  readonly progress: Checkout.ProgressPage
  readonly texts: Texts
}

const amountOf = ({ progress: { amount_cents, currency }, texts }: Part): string =>
  moneyText(amount_cents, currency, texts.lang)

/** A moment in the organisation's time zone. */
const momentOf = ({ organisation }: Checkout.ProgressPage, at: DateTime.Utc, { lang }: Texts): string =>
  momentText(at, organisation.timezone, lang)

const titleOf = ({ progress, texts }: Part): string => {
  const { failure_code, next_step, status } = progress
  if (status === "SUCCEEDED") return texts.thanks
  if (status === "CANCELLED") return texts.cancelled
  if (status === "FAILED" || failure_code !== null) return texts.failed
  if (next_step?._tag === "BankTransfer") return texts.transfer
  if (next_step !== null) return texts.waiting
  return status === "PROCESSING" ? texts.underWay : texts.looking
}

/** Why the money did not come, by the codes that processors give. */
export const declineText = (texts: Texts, code: string | null): string => {
  switch (code) {
    case "insufficient_funds":
    case "refer_to_customer":
      return texts.declinedFunds
    case "expired_card":
      return texts.declinedExpired
    case "incorrect_cvc":
      return texts.declinedCode
    case "authentication_failed":
    case "payto_agreement_rejected":
    case "debit_not_authorized":
      return texts.notApproved
    default:
      return texts.declined
  }
}

/** The page of a bank that has none: of the test processor. */
const TestBank = ({ path, texts }: { readonly path: string; readonly texts: Texts }) => (
  <form method="post" action={path}>
    <p>{texts.approveTest}</p>
    <p>
      <button type="submit" name="answer" value="approve">
        {texts.approve}
      </button>{" "}
      <button type="submit" class="second" name="answer" value="refuse">
        {texts.refuse}
      </button>
    </p>
  </form>
)

/** A link to the donor's bank: nothing but an address of the web is one. */
const ToBank = ({ texts, url }: { readonly texts: Texts; readonly url: string }) => {
  const address = URL.canParse(url) ? new URL(url) : undefined
  return address?.protocol === "https:" || address?.protocol === "http:" ? (
    <>
      <p>{texts.toBank}</p>
      <p>
        <a class="button" href={address.href} rel="noreferrer" target="_top">
          {texts.goToBank}
        </a>
      </p>
    </>
  ) : null
}

const Step = ({ path, progress, texts }: Part & { readonly path: string }) => {
  const { next_step, processor } = progress
  const amount = amountOf({ progress, texts })
  switch (next_step?._tag) {
    case "Redirect":
      return <ToBank url={next_step.url} texts={texts} />
    case "Approval":
      return (
        <>
          <p>{texts.approveAtBank(amount)}</p>
          {processor === "test" ? <TestBank path={path} texts={texts} /> : null}
        </>
      )
    case "BankTransfer":
      return (
        <>
          <p>{texts.transferHow}</p>
          {progress.lapses_at === null ? null : (
            <p>{texts.transferUntil(momentOf(progress, progress.lapses_at, texts))}</p>
          )}
          <Summary
            facts={[
              [texts.accountName, next_step.account_name],
              [texts.bsb, next_step.bsb],
              [texts.accountNumber, next_step.account_number],
              [texts.reference, next_step.reference],
              [texts.sum, moneyText(next_step.amount_cents, next_step.currency, texts.lang)]
            ]}
          />
        </>
      )
    case "Component":
      return (
        <>
          <p>{texts.toBank}</p>
          <p
            data-stripe-step={next_step.token}
            data-key={progress.processor_key ?? ""}
            data-blocked={texts.fieldBlocked(stripeHost)}
          >
            {texts.lookingSays}
          </p>
          <p class="off">{texts.needsScript(texts.by[progress.method])}</p>
        </>
      )
    case undefined:
      return <p>{progress.status === "PROCESSING" ? texts.underWaySays(amount) : texts.lookingSays}</p>
  }
}

/** Of a gift to a set nothing is said where its own organisation sends none: each recipient sends its receipt, or does not. */
const Receipt = ({ progress: { receipt_email, recommendation_set_payment_id }, texts }: Part) => {
  if (receipt_email !== null) return <p>{texts.receiptTo(receipt_email)}</p>
  return recommendation_set_payment_id === null ? <p>{texts.noReceipt}</p> : null
}

const Outcome = ({ path, progress, texts }: Part & { readonly path: string }) => {
  if (progress.status === "SUCCEEDED") {
    return (
      <>
        <p>{texts.paid(amountOf({ progress, texts }), progress.organisation.name)}</p>
        {progress.frequency === null ? null : <p>{texts.repeatsOn(texts.every[progress.frequency])}</p>}
        <Receipt progress={progress} texts={texts} />
        <Prose text={progress.thank_you_message} />
      </>
    )
  }
  return (
    <>
      <p>{texts.notGiven(amountOf({ progress, texts }), progress.organisation.name)}</p>
      <p>{progress.status === "CANCELLED" ? texts.nothingTaken : declineText(texts, progress.failure_code)}</p>
      {progress.frequency === null ? null : <p>{texts.endedRecurring}</p>}
      <form method="post" action={path}>
        <p>
          <button type="submit" name="answer" value="again">
            {texts.again}
          </button>
        </p>
      </form>
    </>
  )
}

interface ProgressPageProps extends Part {
  /** The path of the page itself. */
  readonly path: string
}

/** The page that waits for a payment, shows the donor's next step, and ends. */
export const progressPage = ({ path, progress, texts }: ProgressPageProps): string => {
  const title = titleOf({ progress, texts })
  return render(
    <Document texts={texts} title={title} from={progress.organisation} hasStripe={asksStripe(progress)}>
      <h1 data-outcome={progress.status}>{title}</h1>
      {isOver(progress) ? (
        <Outcome path={path} progress={progress} texts={texts} />
      ) : (
        <div data-waits={stateOf(progress)}>
          <Step path={path} progress={progress} texts={texts} />
          <p>
            <a href={path}>{texts.look}</a>
          </p>
        </div>
      )}
      <p class="fine">{texts.until(momentOf(progress, progress.expires_at, texts))}</p>
    </Document>
  )
}
