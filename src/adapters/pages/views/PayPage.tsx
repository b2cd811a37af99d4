import { DateTime } from "effect"
import type { PaymentMethod } from "../../../domain/kernel/PaymentMethod.ts"
import { testRules } from "../../../domain/payments/TestRules.ts"
import type * as Checkout from "../../../domain/sharing/Checkout.ts"
import { dayText, moneyText } from "../MoneyText.ts"
import type { Gift } from "../PageToken.ts"
import type { Texts } from "../texts/English.ts"
import { ErrorSummary, Notice, Prose, Summary } from "./Components.tsx"
import { Document, render } from "./Document.tsx"

/** What the button says: what happens when it is pressed. */
const giveText = (texts: Texts, { amount_cents, currency, frequency = null }: Gift): string => {
  const amount = moneyText(amount_cents, currency, texts.lang)
  return frequency === null ? texts.giveOnce(amount) : texts.giveEvery(amount, texts.every[frequency])
}

const factsOf = (texts: Texts, page: Checkout.Page, gift: Gift): ReadonlyArray<readonly [string, string]> => {
  const money = (cents: number) => moneyText(cents, gift.currency, texts.lang)
  const amounts = gift.allocations ?? []
  const parts = (page.set?.allocations ?? []).flatMap(({ id, recipient_org_name }) =>
    amounts
      .filter((part) => part.id === id && part.amount_cents > 0)
      .map((part) => [texts.giftTo(recipient_org_name), money(part.amount_cents)] as const)
  )
  const whole = parts.length > 0 ? texts.total : texts.giftTo(page.organisation.name)
  return [...parts, [whole, money(gift.amount_cents)]]
}

interface WayProps {
  readonly method: PaymentMethod
  readonly give: string
  readonly texts: Texts
}

const TestNumbers = ({ method, texts }: Pick<WayProps, "method" | "texts">) => (
  <div class="field">
    <label for={`payment_token.${method}`}>{texts.testNumber}</label>
    <select id={`payment_token.${method}`} name={`payment_token.${method}`}>
      {testRules
        .filter((rule) => rule.method === method)
        .map(({ says, token }) => (
          <option value={token}>
            {token} – {says}
          </option>
        ))}
    </select>
  </div>
)

const Way = ({ give, isTest, method, texts }: WayProps & { readonly isTest: boolean }) => (
  <section class="way" aria-labelledby={`way-${method}`}>
    <h3 id={`way-${method}`}>{texts.method[method]}</h3>
    {method === "bank_transfer" ? <p class="hint">{texts.transferSays}</p> : null}
    {isTest && method !== "bank_transfer" ? <TestNumbers method={method} texts={texts} /> : null}
    <p>
      <button type="submit" name="method" value={method}>
        {`${give} ${texts.by[method]}`}
      </button>
    </p>
  </section>
)

interface StripeFieldProps {
  readonly page: Checkout.Page
  readonly gift: Gift
  readonly methods: ReadonlyArray<PaymentMethod>
  readonly give: string
  readonly texts: Texts
}

/** The place of Stripe's own field. Until its script has come there is nothing to press. */
const StripeField = ({ gift, give, methods, page, texts }: StripeFieldProps) => (
  <section
    class="way"
    data-stripe={page.processor_key ?? ""}
    data-account={page.processor_account ?? ""}
    data-amount={gift.amount_cents}
    data-currency={gift.currency.toLowerCase()}
    data-methods={methods.join(",")}
    data-repeats={gift.frequency == null ? "" : "yes"}
  >
    <p class="hint">{texts.cardOf("Stripe")}</p>
    <div id="stripe">
      <p>{texts.needsScript}</p>
    </div>
    <p class="fault" role="alert" id="stripe-fault" />
    <input type="hidden" name="payment_token" value="" />
    <input type="hidden" name="method" value="" />
    <p>
      <button type="submit" id="stripe-give" hidden={true}>
        {give}
      </button>
    </p>
  </section>
)

interface PayPageProps {
  readonly page: Checkout.Page
  readonly gift: Gift
  readonly texts: Texts
  readonly token: string
  readonly path: string
  /** Why the payment before did not go through; null where there was none. */
  readonly fault: string | null
  readonly notice: string | null
}

/** The second screen, and the only one of a checkout link: how it is paid. To press its button is to give. */
export const payPage = ({ fault, gift, notice, page, path, texts, token }: PayPageProps): string => {
  const { donor, link, organisation, processor } = page
  const isTest = processor === "test"
  const isStripe = processor === "stripe"
  // A transfer cannot be repeated by itself.
  const offered = page.methods.filter((method) => gift.frequency == null || method !== "bank_transfer")
  const give = giveText(texts, gift)
  const greeted = link !== null && donor?.first_name != null ? donor.first_name : null
  const rhythm = gift.frequency == null ? null : texts.every[gift.frequency]
  return render(
    <Document texts={texts} title={give} from={organisation} hasFault={fault !== null} hasStripe={isStripe}>
      <ErrorSummary faults={fault === null ? [] : [{ field: "", text: fault }]} texts={texts} />
      {greeted === null ? null : <p>{texts.greeting(greeted)}</p>}
      <h1>{give}</h1>
      {isTest ? (
        <Notice>
          <p>{texts.sandbox}</p>
        </Notice>
      ) : null}
      {notice === null ? null : (
        <Notice>
          <p>{notice}</p>
        </Notice>
      )}
      <Prose text={link?.description ?? null} />
      <form method="post" action={path}>
        <input type="hidden" name="token" value={token} />
        <h2>{texts.summary}</h2>
        <Summary facts={factsOf(texts, page, gift)} />
        <p>
          {rhythm === null
            ? texts.once
            : texts.repeats(rhythm, dayText(DateTime.toDateUtc(page.as_of), organisation.timezone, texts.lang))}
        </p>
        {link === null ? (
          <p>
            <button type="submit" class="second" name="step" value="change">
              {texts.change}
            </button>
          </p>
        ) : null}
        <h2>{texts.pay}</h2>
        {page.cards_closed ? (
          <Notice>
            <p>{texts.cardsClosed}</p>
          </Notice>
        ) : null}
        {isStripe ? (
          <StripeField page={page} gift={gift} methods={offered} give={give} texts={texts} />
        ) : (
          offered.map((method) => <Way method={method} give={give} texts={texts} isTest={isTest} />)
        )}
      </form>
    </Document>
  )
}
