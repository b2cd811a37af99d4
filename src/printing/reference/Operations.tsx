import type { JsonSchema } from "effect"
import type { Child } from "hono/jsx"
import { type Code, codes, statusOf } from "../../adapters/http/pipeline/ErrorEnvelope.ts"
import * as Spec from "../../adapters/http/reference/Spec.ts"
import { defaultPaymentMethods } from "../../domain/giving/CheckoutLinkDraft.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { entry, fieldsOf, typeOf } from "./Fields.tsx"
import { code, jsonCode, paragraphs, prose, section } from "./Markup.tsx"
import { curlOf, type OperationAddress, pythonOf, typescriptOf } from "./Programs.ts"

/**
 * The values of fields that a body leaves out, by schema and field, where they are the same for everybody. The OpenAPI
 * document does not have them: generators take a field with a default as one that must be sent.
 */
export const defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  NewDonor: { donor_type: "INDIVIDUAL", country: "AU", do_not_contact: false },
  NewDonationForm: {
    status: "DRAFT",
    allow_custom_amount: true,
    allow_recurring: true,
    recurring_frequencies: ["MONTHLY"],
    default_cadence: "ONE_TIME",
    address_visibility: "NONE",
    phone_visibility: "OPTIONAL"
  },
  NewCheckoutLink: { payment_methods: defaultPaymentMethods },
  NewRecommendationSet: { amount_mode: "FIXED" },
  NewIntroduction: { ttl_days: Limits.introductionTtlDefaultDays },
  SecretRotation: { overlap_hours: Limits.secretOverlapDefaultHours }
}

export const operationsOf = (document: Spec.OpenApiDocument, tag: string): ReadonlyArray<OperationAddress> =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Spec.verbs.flatMap((verb) => {
      const operation = item[verb]
      return operation?.tags.includes(tag) === true ? [{ path, verb: verb.toUpperCase(), operation }] : []
    })
  )

const json = "application/json"

const marks = ({ "x-plan": plan, "x-scope": scope }: Spec.OperationSpec): Child => (
  <p class="marks">
    {scope === undefined || plan === undefined
      ? "Needs no key."
      : [
          "Key: ",
          <strong>{scope}</strong>,
          " · Plan: ",
          <strong>{plan}</strong>,
          plan === "FREE" ? " (every plan)" : " or higher"
        ]}
  </p>
)

const baseName = (name: string): string => name.split("[", 1).join()

/** The entries of the parameters: one for all operators of a filter. */
const grouped = (parameters: ReadonlyArray<Spec.Parameter>): Array<Child> => {
  const names = [...new Set(parameters.map(({ name }) => baseName(name)))]
  return names.flatMap((name) => {
    const [plain, ...operated] = parameters.filter((parameter) => baseName(parameter.name) === name)
    if (plain === undefined) return []
    const operators = operated.map((parameter) => `\`[${parameter.name.slice(name.length + 1, -1)}]\``).join(" ")
    const dot = /[.!?]$/.test(plain.description) ? "" : "."
    const description = operators === "" ? plain.description : `${plain.description}${dot} Operators: ${operators}`
    const shown = { mark: plain.required ? "required" : "optional", standard: plain.schema["default"] } as const
    return [entry(name, typeOf(plain.schema), description, shown)]
  })
}

const parametersOf = (document: Spec.OpenApiDocument, { operationId, parameters }: Spec.OperationSpec): Child => {
  const all = parameters.map((parameter) => Spec.follow(parameter, document.components.parameters))
  const group = (place: Spec.Parameter["in"], title: string): Child => {
    const own = all.filter((parameter) => parameter.in === place)
    if (own.length === 0) return null
    return section(`${operationId}-${place}`, 4, title, <dl>{grouped(own)}</dl>)
  }
  return [group("path", "Path"), group("query", "Query"), group("header", "Headers")]
}

const schemaIn = (document: Spec.OpenApiDocument, schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema =>
  document.components.schemas[Spec.componentOf(schema) ?? ""] ?? schema

const bodyOf = (document: Spec.OpenApiDocument, { operationId, requestBody }: Spec.OperationSpec): Child => {
  const schema = requestBody?.content[json]?.schema
  if (requestBody === undefined || schema === undefined) return null
  const title = requestBody.required ? "Body" : "Body (optional)"
  const taken = { isInput: true, standards: defaults[Spec.componentOf(schema) ?? ""] ?? {} }
  return section(`${operationId}-body`, 4, title, fieldsOf(schemaIn(document, schema), taken))
}

const codesOf = (statuses: ReadonlyArray<number>): ReadonlyArray<Code> =>
  codes.filter((each) => statuses.includes(statusOf[each]))

const successesOf = (
  document: Spec.OpenApiDocument,
  { responses }: Spec.OperationSpec
): ReadonlyArray<readonly [status: string, answer: Spec.Answer]> =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([status, answer]) => [status, Spec.follow(answer, document.components.responses)])

const answersOf = (document: Spec.OpenApiDocument, operation: Spec.OperationSpec): Child => {
  const successes = successesOf(document, operation)
  const media = successes[0]?.[1].content?.[json]
  const statuses = Object.keys(operation.responses).map(Number)
  return section(
    `${operation.operationId}-answers`,
    4,
    "Answers",
    media === undefined
      ? null
      : [
          <p>
            {successes.map(([status]) => status).join(" or ")}: {typeOf(media.schema)}
          </p>,
          jsonCode(media.example)
        ],
    <p>
      Errors:
      {codesOf(statuses).map((each) => [
        " ",
        <a href={`#error-${each}`}>
          <code>{each}</code>
        </a>
      ])}
    </p>
  )
}

const programs: ReadonlyArray<
  readonly [language: string, title: string, of: (document: Spec.OpenApiDocument, placed: OperationAddress) => string]
> = [
  ["curl", "curl", curlOf],
  ["typescript", "TypeScript", typescriptOf],
  ["python", "Python", pythonOf]
]

/** The example in every language, the first one open. */
const samplesOf = (document: Spec.OpenApiDocument, placed: OperationAddress): Child =>
  programs.map(([language, title, of], index) => (
    <details class="sample" data-language={language} open={index === 0}>
      <summary>{title}</summary>
      {code(of(document, placed))}
    </details>
  ))

const operationSection = (document: Spec.OpenApiDocument, placed: OperationAddress): Child => {
  const { operation, path, verb } = placed
  return section(
    `operation-${operation.operationId}`,
    3,
    operation.summary,
    <p class="route">
      <span class="verb">{verb}</span> <code>{path}</code>
    </p>,
    marks(operation),
    paragraphs(operation.description),
    parametersOf(document, operation),
    bodyOf(document, operation),
    section(`${operation.operationId}-example`, 4, "Example", samplesOf(document, placed)),
    answersOf(document, operation)
  )
}

export const operationSections = (document: Spec.OpenApiDocument): Array<Child> =>
  document.tags.map(({ description, name }) =>
    section(
      `tag-${name}`,
      2,
      name,
      <p>{prose(description)}</p>,
      ...operationsOf(document, name).map((placed) => operationSection(document, placed))
    )
  )
