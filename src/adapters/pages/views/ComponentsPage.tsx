import { DateTime } from "effect"
import type { Child } from "hono/jsx"
import { momentText } from "../../../domain/kernel/MailContent.ts"
import { Frequency } from "../../../domain/kernel/Schedule.ts"
import { fieldNames, otherAmount } from "../GiftFields.ts"
import { dayText, moneyText } from "../MoneyText.ts"
import type { Texts } from "../texts/English.ts"
import { ErrorSummary, Field, Notice, Prose, RadioGroup, Summary, shownOf, Tick } from "./Components.tsx"
import { Document, render } from "./Document.tsx"

/** A name that somebody made up who means harm, in more letters than a telephone is wide. */
const hostileName = `<b>${"Wolfeschlegelsteinhausenbergerdorff".repeat(2)}</b> علي 👩‍🚒`

const nothing = shownOf(new Map())

/** A component under its name in the source, which is the same in each language. */
const Shown = ({ children, of }: { readonly of: string; readonly children?: Child }) => (
  <section>
    <h2>
      <code lang="en">{of}</code>
    </h2>
    {children}
  </section>
)

interface Part {
  readonly texts: Texts
}

const Fields = ({ texts }: Part) => {
  const typed = new Map([
    ["typed", "Ada Lovelace"],
    ["long", hostileName],
    ["wrong", "ada@gmial"],
    ["money", "1,234.50"]
  ])
  const shown = shownOf(typed, [
    { field: "empty", text: texts.enterName },
    { field: "wrong", text: texts.wrongEmail }
  ])
  return (
    <Shown of="Field">
      <Field field="plain" label={texts.name} shown={shown} />
      <Field field="typed" label={texts.name} shown={shown} />
      <Field field="long" label={texts.name} shown={shown} />
      <Field field="hinted" label={texts.email} hint={texts.emailHint} shown={shown} />
      <Field field="empty" label={texts.name} shown={shown} />
      <Field field="wrong" label={texts.email} hint={texts.emailHint} type="email" shown={shown} />
      <Field field="unneeded" label={texts.optional(texts.phone)} type="tel" shown={shown} />
      <Field field="money" label={texts.yourAmount("AUD")} inputmode="decimal" short={true} shown={shown} />
    </Shown>
  )
}

const RadioGroups = ({ texts }: Part) => {
  const amounts = [
    ...[2_500, 5_000, 100_000_000].map((cents) => ({ value: `${cents}`, label: moneyText(cents, "AUD", texts.lang) })),
    { value: otherAmount, label: texts.otherAmount }
  ]
  const rhythms = (["ONE_TIME", ...Frequency.literals] as const).map((value) => ({
    value,
    label: texts.cadence[value]
  }))
  const shown = shownOf(new Map([["chosen", "ONE_TIME"]]), [{ field: "unchosen", text: texts.chooseAmount }])
  return (
    <Shown of="RadioGroup">
      <RadioGroup field={fieldNames.amount} legend={texts.amount} choices={amounts} shown={nothing} />
      <RadioGroup field="chosen" legend={texts.howOften} choices={rhythms} shown={shown} />
      <RadioGroup field="unchosen" legend={texts.amount} choices={amounts} shown={shown}>
        <Field field={fieldNames.other} label={texts.yourAmount("AUD")} short={true} shown={nothing} />
      </RadioGroup>
    </Shown>
  )
}

const Amounts = ({ texts }: Part) => (
  <Shown of="moneyText">
    <ul>
      {[0, 5, 5_000, 123_450, 100_000_000].map((cents) => (
        <li>
          <bdi>{moneyText(cents, "AUD", texts.lang)}</bdi>
        </li>
      ))}
      <li>
        <bdi>{moneyText(5_000, "JPY", texts.lang)}</bdi>
      </li>
    </ul>
  </Shown>
)

const Buttons = ({ texts }: Part) => (
  <Shown of="button">
    <p>
      <button type="button">{texts.next}</button>{" "}
      <button type="button" class="second">
        {texts.change}
      </button>{" "}
      <button type="button">{texts.giveEvery(moneyText(100_000_000, "AUD", texts.lang), texts.every.QUARTERLY)}</button>
    </p>
    <p>
      <a class="button" href="#main">
        {texts.goToBank}
      </a>
    </p>
  </Shown>
)

interface ComponentsPageProps extends Part {
  /** Any moment; it is shown as a day and as a moment. */
  readonly now: Date
}

/** Every component in each of its states, for whoever works on them. */
export const componentsPage = ({ now, texts }: ComponentsPageProps): string =>
  render(
    <Document texts={texts} title="Components" from={null}>
      <h1 lang="en">Components</h1>
      <Shown of="ErrorSummary">
        <ErrorSummary
          faults={[
            { field: "empty", text: texts.enterName },
            { field: "wrong", text: texts.wrongEmail },
            { field: "", text: texts.declined }
          ]}
          texts={texts}
        />
      </Shown>
      <Shown of="Notice">
        <Notice>
          <p>{texts.sandbox}</p>
        </Notice>
        <Notice>
          <Prose text={texts.pageChanged} />
        </Notice>
      </Shown>
      <form>
        <Fields texts={texts} />
        <RadioGroups texts={texts} />
        <Shown of="Tick">
          <Tick field="agreed" label={texts.emailHint} shown={shownOf(new Map([["agreed", "yes"]]))} value="yes" />
          <Tick field="unagreed" label={texts.emailHint} shown={nothing} value="yes" />
        </Shown>
        <Buttons texts={texts} />
      </form>
      <Shown of="Summary">
        <Summary
          facts={[
            [texts.giftTo(hostileName), moneyText(100_000_000, "AUD", texts.lang)],
            [texts.reference, "ALM-7K2M-9QXD"]
          ]}
        />
      </Shown>
      <Amounts texts={texts} />
      <Shown of="dayText">
        <p>{dayText(now, "Australia/Sydney", texts.lang)}</p>
        <p>{momentText(DateTime.makeUnsafe(now), "Australia/Sydney", texts.lang)}</p>
      </Shown>
      <Shown of="Prose">
        <Prose text={`${texts.transferHow}\n\n${hostileName}`} />
        <Prose text={texts.lookingSays} fine={true} />
      </Shown>
      <Shown of="status">
        <div role="status">
          <p>{texts.underWaySays(moneyText(5_000, "AUD", texts.lang))}</p>
        </div>
        <p>{texts.failed}</p>
        <p>{texts.thanks}</p>
      </Shown>
    </Document>
  )
