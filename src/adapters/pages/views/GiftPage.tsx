import type * as Checkout from "../../../domain/sharing/Checkout.ts"
import {
  askedAddress,
  askedField,
  consentField,
  type Fault,
  type FieldValues,
  fieldNames,
  otherAmount,
  partField,
  wordingOf
} from "../GiftFields.ts"
import { byOneOf, isTransfer } from "../GiftMethods.ts"
import { amountText, moneyText, typedCents } from "../MoneyText.ts"
import type { Texts } from "../texts/English.ts"
import { ErrorSummary, Field, Notice, Prose, RadioGroup, type Shown, Summary, shownOf, Tick } from "./Components.tsx"
import { Document, render } from "./Document.tsx"

interface Part {
  readonly page: Checkout.Page
  readonly shown: Shown
  readonly texts: Texts
}

const Amount = ({ form, page, shown, texts }: Part & { readonly form: NonNullable<Checkout.Page["form"]> }) => {
  const suggested = form.suggested_amounts_cents.map((cents) => ({
    value: String(cents),
    label: moneyText(cents, page.currency, texts.lang)
  }))
  const choices = form.allow_custom_amount
    ? [...suggested, { value: otherAmount, label: texts.otherAmount }]
    : suggested
  return (
    <RadioGroup field={fieldNames.amount} legend={texts.amount} choices={choices} shown={shown}>
      {form.allow_custom_amount ? (
        <Field
          field={fieldNames.other}
          label={texts.yourAmount(page.currency)}
          shown={shown}
          inputmode="decimal"
          short={true}
        />
      ) : null}
    </RadioGroup>
  )
}

const Recipients = ({ page, set, shown, texts }: Part & { readonly set: NonNullable<Checkout.Page["set"]> }) => {
  const money = (cents: number) => moneyText(cents, page.currency, texts.lang)
  if (set.amount_mode === "FIXED") {
    return (
      <section>
        <h2>{texts.recipients}</h2>
        <p class="hint">{texts.fixed}</p>
        <Summary
          facts={[
            ...set.allocations.map((each) => [each.recipient_org_name, money(each.amount_cents)] as const),
            [texts.total, money(set.allocations.reduce((sum, { amount_cents }) => sum + amount_cents, 0))]
          ]}
        />
        {set.allocations.map(({ amount_cents, id }) => (
          <input type="hidden" name={partField(id)} value={amountText(amount_cents, page.currency)} />
        ))}
      </section>
    )
  }
  const typed = set.allocations.map(({ id }) => typedCents(shown.value(partField(id)), page.currency))
  const total = typed.reduce((sum, cents) => (sum === null || cents === null ? null : sum + cents), 0)
  return (
    <fieldset>
      <legend>{texts.recipients}</legend>
      {set.min_total_cents === null ? null : <p class="hint">{texts.floor(money(set.min_total_cents))}</p>}
      {set.allocations.map(({ id, recipient_org_name }) => (
        <Field
          field={partField(id)}
          label={`${texts.toRecipient(recipient_org_name)} (${page.currency})`}
          shown={shown}
          inputmode="decimal"
          short={true}
          part={true}
        />
      ))}
      <p>
        {texts.total} <output data-total={page.currency}>{total === null ? "" : money(total)}</output>
      </p>
    </fieldset>
  )
}

/** Without a script nothing is given at Stripe: transfers alone are, and once. */
const NeedsScript = ({ page, texts }: Pick<Part, "page" | "texts">) => {
  if (page.processor !== "stripe") return null
  const methods = page.method_bounds.map(({ method }) => method)
  if (!methods.some(isTransfer)) return <p class="off">{texts.needsScript(byOneOf(methods, texts))}</p>
  return page.frequencies.length > 0 ? <p class="off">{texts.needsScriptToRepeat}</p> : null
}

const hasParts = ({ set }: Checkout.Page): boolean => set !== null && set.amount_mode !== "FIXED"

const Cadence = ({ page, shown, texts }: Part) =>
  page.frequencies.length === 0 ? null : (
    <RadioGroup
      field={fieldNames.cadence}
      legend={texts.howOften}
      choices={(["ONE_TIME", ...page.frequencies] as const).map((value) => ({ value, label: texts.cadence[value] }))}
      shown={shown}
    />
  )

const addressWords = (texts: Texts) =>
  ({
    address_line1: [texts.address, "address-line1"],
    address_line2: [texts.address2, "address-line2"],
    suburb: [texts.suburb, "address-level2"],
    state: [texts.state, "address-level1"],
    postcode: [texts.postcode, "postal-code"],
    country: [texts.country, "country-name"]
  }) as const

const alwaysOptional: ReadonlyArray<string> = ["address_line2", "country"]

const Who = ({ page, shown, texts }: Part) => {
  const { form } = page
  const labelled = (label: string, isNeeded: boolean) => (isNeeded ? label : texts.optional(label))
  const words = addressWords(texts)
  return (
    <fieldset>
      <legend>{texts.aboutYou}</legend>
      <Field field={fieldNames.name} label={texts.name} shown={shown} autocomplete="name" />
      <Field
        field={fieldNames.email}
        label={texts.email}
        hint={texts.emailHint}
        shown={shown}
        type="email"
        inputmode="email"
        autocomplete="email"
      />
      <input type="hidden" name={fieldNames.hinted} value={shown.value(fieldNames.email)} />
      {form === null || form.phone_visibility === "NONE" ? null : (
        <Field
          field={fieldNames.phone}
          label={labelled(texts.phone, form.phone_visibility === "REQUIRED")}
          shown={shown}
          type="tel"
          inputmode="tel"
          autocomplete="tel"
        />
      )}
      {askedAddress(page).map((field) => (
        <Field
          field={field}
          label={labelled(words[field][0], form?.address_visibility === "REQUIRED" && !alwaysOptional.includes(field))}
          shown={shown}
          autocomplete={words[field][1]}
        />
      ))}
    </fieldset>
  )
}

/** The amounts of a set's recipients, before any is typed. */
const openedParts = ({ currency, set }: Checkout.Page) =>
  (set?.allocations ?? []).map((each) => [partField(each.id), amountText(each.amount_cents, currency)] as const)

/** The fields of a page that was just opened. */
const openedWith = (page: Checkout.Page): FieldValues => {
  const { currency, default_cadence, form, frequencies } = page
  const chosen = form?.default_amount_cents ?? null
  const isSuggested = chosen !== null && form?.suggested_amounts_cents.includes(chosen) === true
  const [first = "ONE_TIME"] = frequencies
  return new Map<string, string>([
    ...(chosen === null ? [] : [[fieldNames.amount, isSuggested ? String(chosen) : otherAmount] as const]),
    ...(chosen === null || isSuggested ? [] : [[fieldNames.other, amountText(chosen, currency)] as const]),
    [fieldNames.cadence, default_cadence === "RECURRING" ? first : "ONE_TIME"],
    ...openedParts(page)
  ])
}

interface GiftPageProps {
  readonly page: Checkout.Page
  readonly texts: Texts
  readonly token: string
  readonly path: string
  /** What was typed before; null where the page was just opened. */
  readonly typed: FieldValues | null
  readonly faults: ReadonlyArray<Fault>
  /** What has changed since the page was shown; null where nothing has. */
  readonly notice: string | null
}

/** The first screen: what is given, how often, and who gives. */
export const giftPage = ({ faults, notice, page, path, texts, token, typed }: GiftPageProps): string => {
  const { donor, form, organisation, prompts, set } = page
  // Recipients whom the page has not shown before have what is suggested for them.
  const shown = shownOf(typed === null ? openedWith(page) : new Map([...openedParts(page), ...typed]), faults)
  const title = form?.title ?? set?.name ?? organisation.name
  const part: Part = { page, shown, texts }
  return render(
    <Document texts={texts} title={title} from={organisation} hasFault={faults.length > 0} hasTotal={hasParts(page)}>
      <ErrorSummary faults={faults} texts={texts} />
      {donor?.first_name == null ? null : <p>{texts.greeting(donor.first_name)}</p>}
      <h1>
        <bdi>{title}</bdi>
      </h1>
      <NeedsScript page={page} texts={texts} />
      {notice === null ? null : (
        <Notice>
          <p>{notice}</p>
        </Notice>
      )}
      <Prose text={form?.description ?? set?.description ?? null} />
      <form method="post" action={path} novalidate>
        <input type="hidden" name="token" value={token} />
        {form === null ? null : <Amount form={form} {...part} />}
        {set === null ? null : <Recipients set={set} {...part} />}
        <Cadence {...part} />
        {donor === null ? <Who {...part} /> : null}
        {prompts.map(({ id, text }) => {
          const wording = wordingOf(text)
          return (
            <>
              <input type="hidden" name={askedField(id)} value={wording} />
              <Tick field={consentField(id)} label={text} shown={shown} value={wording} />
            </>
          )
        })}
        <p>
          <button type="submit" name="step" value="who">
            {texts.next}
          </button>
        </p>
        <Prose text={form?.disclaimer_text ?? null} fine={true} />
      </form>
    </Document>
  )
}
