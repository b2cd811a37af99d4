import { Context, Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { type Operation, operations, type Requirement } from "../../../domain/access/Policy.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { type Dimension, type ListSpec, operatorsOf } from "../../../domain/kernel/Listing.ts"
import { fieldNamesOf } from "../pipeline/Shape.ts"
import { AnswersSecret, Lists, Performs, Writes } from "./Annotations.ts"

const described = <S extends Schema.Top>(schema: S, description: string) => schema.annotate({ description })

const valueSchema = (dimension: Dimension): Schema.Top => {
  switch (dimension.kind) {
    case "enum":
      return Schema.Literals(dimension.values ?? [])
    case "integer":
      return Schema.Int
    case "boolean":
      return Schema.Boolean
    default:
      return Schema.String
  }
}

/** The operators of filters in words. */
export const operatorWords = {
  eq: "equal to",
  in: `one of (comma-separated, at most ${Limits.filterValues})`,
  not_in: `none of (comma-separated, at most ${Limits.filterValues})`,
  gt: "greater than",
  gte: "at least",
  lt: "less than",
  lte: "at most"
} as const

const filterFields = (name: string, dimension: Dimension): ReadonlyArray<readonly [string, Schema.Top]> => [
  [name, described(valueSchema(dimension), dimension.description)],
  ...operatorsOf(dimension).map(
    (operator) =>
      [
        `${name}[${operator}]`,
        described(
          operator === "in" || operator === "not_in" ? Schema.String : valueSchema(dimension),
          `${dimension.description}: ${operatorWords[operator]}`
        )
      ] as const
  )
]

/** What a list can be sorted by. */
export const sortsOf = ({ sorts }: ListSpec): ReadonlyArray<string> =>
  Object.keys(sorts ?? {}).flatMap((name) => [name, `-${name}`])

/** The query parameters of a list, as the reference shows them; the edge reads them with `Listing.parse`. */
export const listQuery = (spec: ListSpec) => {
  const fields: ReadonlyArray<readonly [string, Schema.Top]> = [
    [
      "limit",
      described(
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Limits.pageMaximum })),
        `Records on a page, 1 to ${Limits.pageMaximum}; ${Limits.pageDefault} when not given`
      )
    ],
    ["starting_after", described(Schema.String, "The id of the last record of the page before")],
    ...(spec.archivable === true
      ? ([["archived", described(Schema.Boolean, "Whether archived records are listed, too")]] as const)
      : []),
    ...(spec.words === undefined
      ? []
      : ([
          [
            "search",
            described(
              Schema.String.check(Schema.isMaxCodePoints(Limits.searchCharacters)),
              `Words, at most ${Limits.searchWords}, each of which must begin a part of a name or of the e-mail address; case, accents and signs make no difference`
            )
          ]
        ] as const)),
    ...(spec.segments === true ? ([["segment", described(Schema.String, "A segment's slug")]] as const) : []),
    ...(spec.sorts === undefined
      ? []
      : ([["sort", described(Schema.Literals(sortsOf(spec)), "Order; a leading - is descending")]] as const)),
    ...Object.entries(spec.flags ?? {}).map(
      ([name, flag]) =>
        [name, described(Schema.Boolean, `${flag.description}; ${flag.default} when not given`)] as const
    ),
    ...Object.entries(spec.filters).flatMap(([name, dimension]) => filterFields(name, dimension))
  ]
  return Object.fromEntries(fields.map(([name, schema]) => [name, Schema.optionalKey(schema)]))
}

/** A page of records. decisions, section 1: Lists. */
export const pageOf = <S extends Schema.Top>(schema: S, identifier: string) =>
  Schema.Struct({ data: Schema.Array(schema), has_more: Schema.Boolean }).annotate({ identifier })

/** What an endpoint says of itself. */
export interface Says {
  readonly summary: string
  readonly description: string
  /** The list that it offers. */
  readonly lists?: ListSpec
  /** The record that its body writes to. */
  readonly writes?: Schema.Top
  /** Whether the answer holds a secret. */
  readonly secret?: boolean
}

/** The title of an operation names the plan that it needs. service-spec, rule 3. */
const titleOf = (operation: Operation, summary: string): string => {
  const { plan }: Requirement = operations[operation]
  return plan === "FREE" ? summary : `${summary} (${plan.charAt(0)}${plan.slice(1).toLowerCase()} plan)`
}

/** The annotations of an endpoint that performs an operation. */
export const performs = (operation: Operation, says: Says): Context.Context<never> => {
  const context = Context.empty().pipe(
    Context.add(Performs, operation),
    Context.add(AnswersSecret, says.secret === true),
    Context.add(Writes, says.writes === undefined ? {} : fieldNamesOf(says.writes.ast)),
    Context.merge(
      OpenApi.annotations({
        identifier: operation.replace(".", "_"),
        summary: titleOf(operation, says.summary),
        description: says.description
      })
    )
  )
  const whole = says.lists === undefined ? context : Context.add(context, Lists, says.lists)
  return whole as Context.Context<never>
}
