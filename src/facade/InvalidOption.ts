import { Predicate } from "effect"

/**
 * A host gives an option that there is not, or a value that cannot be used, to `Almoner.open` or to a method beside the use cases. `message` is a whole
 * sentence that names it, and holds no secret. The host's code is to be changed.
 */
export class InvalidOption extends RangeError {
  readonly _tag = "InvalidOption"
  override readonly name = "InvalidOption"
  /** The name of the option; empty where there are no options at all. */
  readonly option: string

  constructor(option: string, message: string) {
    super(message)
    this.option = option
  }
}

/** The refusal of `within` by a backend whose database nobody else has a transaction on. */
export const noHostTransactions = (backend: string) => (): never => {
  throw new InvalidOption(
    "client",
    `within needs a backend of postgres(): nobody but Almoner has transactions on ${backend}.`
  )
}

/** Whether a value of an option can be used, and what completes "The option … must be". */
export interface OptionRule {
  readonly holds: (value: unknown) => boolean
  readonly expected: string
  readonly required?: boolean
}

/** The rules of some options, by name. */
export type OptionRules<O> = { readonly [N in keyof O]-?: OptionRule }

export const aFunction = (expected: string): OptionRule => ({ holds: Predicate.isFunction, expected })

export const aText = (expected: string, holds: (text: string) => boolean = (text) => text !== ""): OptionRule => ({
  holds: (value) => Predicate.isString(value) && !value.includes("\0") && holds(value),
  expected
})

export const aWholeNumber = (minimum: number, maximum: number): OptionRule => ({
  holds: (value) => Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
  expected: `a whole number from ${minimum} to ${maximum}`
})

export const aBoolean: OptionRule = { holds: Predicate.isBoolean, expected: "true or false" }

export const oneOf = (...values: ReadonlyArray<string>): OptionRule => ({
  holds: (value) => values.includes(String(value)) && Predicate.isString(value),
  expected: `one of ${values.join(", ")}`
})

/** A service that a host brings: an object with these methods. */
export const aService = (...methods: ReadonlyArray<string>): OptionRule => ({
  holds: (value) => Predicate.isObject(value) && methods.every((name) => Predicate.hasProperty(value, name)),
  expected: `an object with ${methods.join(", ")}`
})

/**
 * Checks options by their rules. `where` is what takes them (`Almoner.open`), `wanted` says what to give. Throws
 * {@link InvalidOption} for the first that is wrong. An option that is undefined is one that is not given.
 */
export const checkOptions = (
  where: string,
  rules: Readonly<Record<string, OptionRule>>,
  options: unknown,
  wanted: string
): void => {
  if (!Predicate.isObject(options)) throw new InvalidOption("", `${where} takes an object with options: ${wanted}.`)
  const names = Object.keys(rules)
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(rules, name)) {
      throw new InvalidOption(name, `${where} has no option ${name}. It has ${names.join(", ")}.`)
    }
  }
  for (const [name, { expected, holds, required }] of Object.entries(rules)) {
    const value: unknown = Reflect.get(options, name)
    if (value === undefined && required !== true) continue
    if (value === undefined)
      throw new InvalidOption(name, `The option ${name} of ${where} is missing: it must be ${expected}.`)
    if (!holds(value)) throw new InvalidOption(name, `The option ${name} of ${where} must be ${expected}.`)
  }
}
