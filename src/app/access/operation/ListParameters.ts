import { Schema } from "effect"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { type Dimension, type ListSpec, operatorsOf } from "../../../domain/kernel/Listing.ts"

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

/** The values of a list's `sort`. */
export const sortsOf = ({ sorts }: ListSpec): ReadonlyArray<string> =>
  Object.keys(sorts ?? {}).flatMap((name) => [name, `-${name}`])

/** The meaning of a list's `sort`. */
export const sortWords = ({ sortsBeyondContract }: ListSpec): string =>
  `Order; a leading - is descending${sortsBeyondContract === true ? ". This parameter goes beyond the contract" : ""}`

/** The parameters of a list by their names, with what they mean; `Listing.parse` reads them. */
export const listParameters = (spec: ListSpec): Readonly<Record<string, Schema.Top>> =>
  Object.fromEntries<Schema.Top>([
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
      : ([["sort", described(Schema.Literals(sortsOf(spec)), sortWords(spec))]] as const)),
    ...Object.entries(spec.flags ?? {}).map(
      ([name, flag]) =>
        [name, described(Schema.Boolean, `${flag.description}; ${flag.default} when not given`)] as const
    ),
    ...Object.entries(spec.filters).flatMap(([name, dimension]) => filterFields(name, dimension))
  ])
