import type { Child } from "hono/jsx"
import type { Fault } from "../GiftFields.ts"
import type { Texts } from "../texts/English.ts"

/** What is known of a field when it is shown: its value, and what is wrong with it. */
export interface Shown {
  readonly value: (field: string) => string
  readonly fault: (field: string) => string | undefined
}

/** The values and the faults of a screen. */
export const shownOf = (typed: ReadonlyMap<string, string>, faults: ReadonlyArray<Fault> = []): Shown => ({
  value: (field) => typed.get(field) ?? "",
  fault: (field) => faults.find((each) => each.field === field)?.text
})

const faultId = (field: string): string => `${field}-fault`
const hintId = (field: string): string => `${field}-hint`

const describedBy = (field: string, hasHint: boolean, hasFault: boolean): string | undefined => {
  const ids = [...(hasHint ? [hintId(field)] : []), ...(hasFault ? [faultId(field)] : [])]
  return ids.length === 0 ? undefined : ids.join(" ")
}

const FaultText = ({ field, text }: { readonly field: string; readonly text: string | undefined }) =>
  text === undefined ? null : (
    <p class="fault" id={faultId(field)}>
      {text}
    </p>
  )

interface FieldProps {
  readonly field: string
  readonly label: string
  readonly shown: Shown
  readonly hint?: string
  readonly type?: "email" | "tel" | "text"
  readonly autocomplete?: string
  readonly inputmode?: "decimal" | "email" | "numeric" | "tel" | "text"
  readonly short?: boolean
  /** The form that it is sent with, where it does not stand in it. */
  readonly form?: string
  /** Marks an amount of a set, which the total follows. */
  readonly part?: boolean
}

/** A field with its label, a hint and what is wrong with it. */
export const Field = ({
  autocomplete,
  field,
  form,
  hint,
  inputmode,
  label,
  part,
  short,
  shown,
  type = "text"
}: FieldProps) => {
  const fault = shown.fault(field)
  return (
    <div class="field">
      <label for={field}>{label}</label>
      {hint === undefined ? null : (
        <p class="hint" id={hintId(field)}>
          {hint}
        </p>
      )}
      <FaultText field={field} text={fault} />
      <input
        id={field}
        name={field}
        form={form}
        type={type}
        value={shown.value(field)}
        class={short === true ? "short" : undefined}
        autocomplete={autocomplete ?? "off"}
        inputmode={inputmode}
        spellcheck={false}
        data-part={part === true ? "" : undefined}
        aria-invalid={fault === undefined ? undefined : "true"}
        aria-describedby={describedBy(field, hint !== undefined, fault !== undefined)}
      />
    </div>
  )
}

interface Choice {
  readonly value: string
  readonly label: string
}

interface RadioGroupProps {
  readonly field: string
  readonly legend: string
  readonly choices: ReadonlyArray<Choice>
  readonly shown: Shown
  readonly children?: Child
}

/** One of several, under a question. */
export const RadioGroup = ({ children, choices, field, legend, shown }: RadioGroupProps) => {
  const fault = shown.fault(field)
  return (
    <fieldset aria-describedby={fault === undefined ? undefined : faultId(field)}>
      <legend>{legend}</legend>
      <FaultText field={field} text={fault} />
      <div class="choices">
        {choices.map(({ label, value }, index) => (
          <label class="choice">
            <input
              type="radio"
              id={index === 0 ? field : undefined}
              name={field}
              value={value}
              checked={shown.value(field) === value}
            />
            {label}
          </label>
        ))}
      </div>
      {children}
    </fieldset>
  )
}

/** Something that is agreed to, or is not. It is never agreed to beforehand. */
export const Tick = ({
  field,
  label,
  shown,
  value
}: {
  readonly field: string
  readonly label: string
  readonly shown: Shown
  readonly value: string
}) => (
  <label class="choice tick">
    <input type="checkbox" name={field} value={value} checked={shown.value(field) === value} />
    <span dir="auto">{label}</span>
  </label>
)

/** Everything that is wrong with a screen, each a link to its field. It takes the focus. */
export const ErrorSummary = ({ faults, texts }: { readonly faults: ReadonlyArray<Fault>; readonly texts: Texts }) =>
  faults.length === 0 ? null : (
    <div class="box bad" role="alert" tabindex={-1} data-focus="">
      <h2>{texts.problem}</h2>
      <ul>
        {faults.map(({ field, text }) => (
          <li>{field === "" ? text : <a href={`#${field}`}>{text}</a>}</li>
        ))}
      </ul>
    </div>
  )

/** Something to know, beside what is asked. */
export const Notice = ({ children }: { readonly children?: Child }) => <div class="box">{children}</div>

/** Facts by their names. */
export const Summary = ({ facts }: { readonly facts: ReadonlyArray<readonly [name: string, value: string]> }) => (
  <dl>
    {facts.map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** A text of several lines that an organisation wrote. */
export const Prose = ({ text, fine = false }: { readonly text: string | null; readonly fine?: boolean }) => (
  <>
    {(text ?? "")
      .split(/\n\s*\n/u)
      .map((paragraph) => paragraph.trim())
      .filter((paragraph) => paragraph !== "")
      .map((paragraph) => (
        <p class={fine ? "fine" : undefined} dir="auto">
          {paragraph.split("\n").map((line, index) => [index > 0 && <br />, line])}
        </p>
      ))}
  </>
)
