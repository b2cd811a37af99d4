import { DateTime } from "effect"
import type { PaymentMethod } from "../../../domain/kernel/PaymentMethod.ts"
import { testRules } from "../../../domain/payments/TestRules.ts"
import type * as Checkout from "../../../domain/sharing/Checkout.ts"
import { type Fault, fieldNames } from "../GiftFields.ts"
import { byOneOf, isTransfer, methodsFor, oneOf } from "../GiftMethods.ts"
import { dayText, moneyText } from "../MoneyText.ts"
import type { Gift } from "../PageToken.ts"
import type { Texts } from "../texts/English.ts"
import { ErrorSummary, Field, Notice, Prose, Summary, shownOf } from "./Components.tsx"
import { Document, render } from "./Document.tsx"
import { stripeHost } from "./StripeScript.ts"

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
    <label id={`number-${method}`} for={`payment_token.${method}`}>
      {texts.testNumber}
    </label>
    <select
      id={`payment_token.${method}`}
      name={`payment_token.${method}`}
      aria-labelledby={`way-${method} number-${method}`}
    >
      {testRules
        .filter((rule) => rule.method === method)
        .map(({ token }) => (
          <option value={token}>{texts.testOutcome(token, texts.testOutcomes[token])}</option>
        ))}
    </select>
  </div>
)

const Way = ({ give, isTest, method, texts }: WayProps & { readonly isTest: boolean }) => (
  <section class="way" aria-labelledby={`way-${method}`}>
    <h3 id={`way-${method}`}>{texts.method[method]}</h3>
    {isTransfer(method) ? <p class="hint">{texts.transferSays}</p> : null}
    {isTest && !isTransfer(method) ? <TestNumbers method={method} texts={texts} /> : null}
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

/** Whether wallets are offered beside the methods, as they open cards that are closed and that take the amount. */
const hasWallets = (page: Checkout.Page, gift: Gift, methods: ReadonlyArray<PaymentMethod>): boolean =>
  page.card_wallets && !methods.includes("card") && methodsFor(page, gift, true).offered.includes("card")

/** The place of the wallets that open closed cards. It says where the browser has none. */
const Wallets = ({ texts }: Pick<StripeFieldProps, "texts">) => (
  <>
    <h3>{texts.wallets}</h3>
    <p class="hint">{texts.walletsSay}</p>
    <div id="stripe-wallets" data-none={texts.noWallet} data-blocked={texts.fieldBlocked(stripeHost)}>
      <p class="on">{texts.fieldLoading}</p>
      <p class="off">{texts.walletsNeedScript}</p>
    </div>
  </>
)

/** What to do where Stripe's own fields cannot be shown: where scripts do not run, and where its own one does not come. */
const insteadOf = ({ gift, methods, page, texts }: Omit<StripeFieldProps, "give">) => {
  const { frequency = null, ...once } = gift
  const ways = byOneOf(methods, texts)
  if (!methodsFor(page, once, false).offered.some(isTransfer))
    return { off: texts.needsScript(ways), blocked: texts.fieldBlocked(stripeHost) }
  return frequency === null
    ? { off: texts.needsScriptOrTransfer(ways), blocked: texts.fieldBlockedOrTransfer(stripeHost) }
    : { off: texts.needsScriptToRepeat, blocked: texts.fieldBlocked(stripeHost) }
}

/**
 * The places of Stripe's own fields. Until its script has come there is nothing to press; what is below is seen from then on, or
 * after four seconds, so that it does not move.
 */
const StripeField = ({ gift, give, methods, page, texts }: StripeFieldProps) => {
  const { blocked, off } = insteadOf({ gift, methods, page, texts })
  return (
    <section
      class="way"
      data-stripe={page.processor_key ?? ""}
      data-account={page.processor_account ?? ""}
      data-amount={gift.amount_cents}
      data-currency={gift.currency.toLowerCase()}
      data-methods={methods.join(",")}
      data-repeats={gift.frequency == null ? "" : "yes"}
    >
      {hasWallets(page, gift, methods) ? <Wallets texts={texts} /> : null}
      {methods.length === 0 ? null : (
        <>
          {page.cards_closed ? (
            <h3>
              {oneOf(
                methods.map((method) => texts.method[method]),
                texts
              )}
            </h3>
          ) : null}
          <p class="hint">{texts.cardOf("Stripe")}</p>
          <div id="stripe" data-blocked={blocked}>
            <p class="on">{texts.fieldLoading}</p>
            <p class="off">{off}</p>
          </div>
        </>
      )}
      <p class="fault" role="alert" id="stripe-fault" />
      <input type="hidden" name="payment_token" value="" />
      <input type="hidden" name="method" value="" />
      {methods.length === 0 ? null : (
        <p>
          <button type="submit" id="stripe-give" hidden={true}>
            {give}
          </button>
        </p>
      )}
    </section>
  )
}

/** How far a donor is with the code that opens closed cards; null where there is none. */
export type CodeStep = { readonly kind: "offered" | "sent"; readonly email: string } | { readonly kind: "open" } | null

const codeForm = "code"

interface CardCodeProps {
  readonly code: Exclude<CodeStep, { readonly kind: "open" } | null>
  readonly faults: ReadonlyArray<Fault>
  readonly texts: Texts
}

/** Cards that need a code. It is a form of its own, whose first button is the one of the Enter key. */
const CardCode = ({ code: { email, kind }, faults, texts }: CardCodeProps) => (
  <section class="way" id="card" aria-labelledby="way-card">
    <h3 id="way-card">{texts.method.card}</h3>
    <p>{kind === "sent" ? texts.codeSent(email) : texts.cardsByCode(email)}</p>
    {kind === "sent" ? (
      <>
        <Field
          field={fieldNames.code}
          form={codeForm}
          label={texts.code}
          autocomplete="one-time-code"
          inputmode="numeric"
          short={true}
          shown={shownOf(new Map(), faults)}
        />
        <p>
          <button type="submit" form={codeForm} name="step" value="open">
            {texts.useCode}
          </button>
        </p>
      </>
    ) : null}
    <p>
      <button type="submit" form={codeForm} name="step" value="code" class={kind === "sent" ? "second" : undefined}>
        {kind === "sent" ? texts.sendAnother : texts.sendCode}
      </button>
    </p>
  </section>
)

/** Why no card can be chosen, or why it can again. */
const CardsClosed = ({ code, faults, texts }: Omit<CardCodeProps, "code"> & { readonly code: CodeStep }) => {
  if (code !== null && code.kind !== "open") return <CardCode code={code} faults={faults} texts={texts} />
  return (
    <div id="card">
      <Notice>
        <p>{code === null ? texts.cardsClosed : texts.cardsOpened}</p>
      </Notice>
    </div>
  )
}

interface PayPageProps {
  readonly page: Checkout.Page
  readonly gift: Gift
  readonly texts: Texts
  readonly token: string
  readonly path: string
  /** Why the payment before did not go through; null where there was none. */
  readonly fault: string | null
  readonly faults: ReadonlyArray<Fault>
  readonly notice: string | null
  readonly code: CodeStep
}

/** The second screen, and the only one of a checkout link: how it is paid. To press its button is to give. */
export const payPage = ({ code, fault, faults, gift, notice, page, path, texts, token }: PayPageProps): string => {
  const { donor, link, organisation, processor } = page
  const isTest = processor === "test"
  const { offered, outside } = methodsFor(page, gift, code?.kind === "open")
  const all = fault === null ? faults : [{ field: "", text: fault }, ...faults]
  // Stripe's field is for one of its methods at least, or for wallets: a transfer is at another account.
  const fields = processor === "stripe" ? offered.filter((method) => !isTransfer(method)) : []
  const isStripe = processor === "stripe" && (fields.length > 0 || hasWallets(page, gift, fields))
  const ways = processor === "stripe" ? offered.filter(isTransfer) : offered
  const give = giveText(texts, gift)
  const greeted = link !== null && donor?.first_name != null ? donor.first_name : null
  const rhythm = gift.frequency == null ? null : texts.every[gift.frequency]
  return render(
    <Document texts={texts} title={give} from={organisation} hasFault={all.length > 0} hasStripe={isStripe}>
      <ErrorSummary faults={all} texts={texts} />
      {greeted === null ? null : <p>{texts.greeting(greeted)}</p>}
      <h1>{give}</h1>
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
        {page.cards_closed ? <CardsClosed code={code} faults={faults} texts={texts} /> : null}
        {outside.length === 0 ? null : <p>{texts.notTaken(byOneOf(outside, texts))}</p>}
        {isStripe ? <StripeField page={page} gift={gift} methods={fields} give={give} texts={texts} /> : null}
        {ways.map((method) => (
          <Way method={method} give={give} texts={texts} isTest={isTest} />
        ))}
      </form>
      {code === null || code.kind === "open" ? null : (
        <form id={codeForm} method="post" action={`${path}#card`}>
          <input type="hidden" name="token" value={token} />
        </form>
      )}
    </Document>
  )
}
