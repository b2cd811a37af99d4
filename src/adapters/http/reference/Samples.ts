import type { JsonSchema } from "effect"
import type { idPrefixes } from "../../../domain/kernel/Ids.ts"
import { exampleId, idOf, instant } from "../endpoints/Example.ts"
import { type Components, componentOf } from "./Spec.ts"

/** When what begins then ends. */
const ending = "2026-05-01T02:30:00.000Z"

const texts: Readonly<Record<string, string>> = {
  donor_email: "ada@example.org",
  email: "ada@example.org",
  invitee_email: "bea@example.org",
  currency: "AUD",
  first_name: "Ada",
  last_name: "Okafor",
  slug: "spring-appeal",
  name: "Spring appeal",
  title: "Give to the spring appeal",
  label: "Riverside account",
  recipient_org_name: "Riverside Shelter",
  recipient_org_slug: "riverside-shelter",
  recipient_account_label: "Main account",
  hosted_page_url: "https://riverside.example.org/f/spring-appeal",
  payment_method_type: "card",
  jurisdiction: "AU",
  period: "2025-26",
  starts_on: "2025-07-01",
  ends_on: "2026-06-30",
  changed_fields: "phone",
  payment_methods: "card"
}

const idKinds: Readonly<Record<string, keyof typeof idPrefixes>> = {
  allocation_id: "allocation",
  campaign_id: "campaign",
  donation_form_id: "donationForm",
  donation_id: "donation",
  donation_ids: "donation",
  donor_id: "donor",
  introduction_id: "introduction",
  merged_donor_id: "donor",
  organisation_id: "organisation",
  recipient_org_account_link_id: "recipientAccountLink",
  recommendation_set_id: "recommendationSet",
  recommendation_set_payment_id: "payment",
  revenue_code_id: "revenueCode",
  subscription_id: "subscription"
}

const prefixIn = (schema: JsonSchema.JsonSchema): string | undefined =>
  typeof schema["pattern"] === "string" ? /^\^([a-z]+)_\[0-7\]/.exec(schema["pattern"])?.[1] : undefined

const textOf = (schema: JsonSchema.JsonSchema, name: string): string => {
  if (schema["format"] === "date-time") return name === "expires_at" ? ending : instant
  if (schema["format"] === "date") return texts[name] ?? instant.slice(0, 10)
  const prefix = prefixIn(schema)
  if (prefix !== undefined) return exampleId(prefix)
  const kind = idKinds[name]
  return kind === undefined ? (texts[name] ?? name) : idOf(kind)
}

const isNull = (schema: JsonSchema.JsonSchema): boolean => schema["type"] === "null"

const asSchema = (value: unknown): JsonSchema.JsonSchema => ({ ...Object(value) })

const integerOf = (name: string): number => (name.endsWith("_cents") ? 5_000 : 1)

/**
 * A value that a schema of this project accepts, the same each time: the first of an enum, null where null is allowed
 * (except for links and names, which show more), and texts by the name of their field.
 */
export const sampleOf = (schema: JsonSchema.JsonSchema, components: Components, name = ""): unknown => {
  const component = componentOf(schema)
  if (component !== undefined) return sampleOf(components[component] ?? {}, components, name)
  const { anyOf, const: constant, enum: values, items, properties } = schema
  if (constant !== undefined) return constant
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(anyOf)) {
    const options = anyOf.map(asSchema)
    const first = options.find((option) => !isNull(option)) ?? {}
    const telling = texts[name] !== undefined || options.every((option) => !isNull(option))
    return telling ? sampleOf(first, components, name) : null
  }
  switch (schema["type"]) {
    case "object":
      return Object.fromEntries(
        Object.entries(asSchema(properties)).map(([key, each]) => [key, sampleOf(asSchema(each), components, key)])
      )
    case "array":
      return [sampleOf(asSchema(items), components, name)]
    case "integer":
      return integerOf(name)
    case "boolean":
      return false
    default:
      return textOf(schema, name)
  }
}
