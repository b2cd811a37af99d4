import { Effect, Predicate } from "effect"

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
  holds: (value) => Predicate.isString(value) && values.includes(value),
  expected: `one of ${values.join(", ")}`
})

/** A service that a host brings: an object with these methods. */
export const aService = (...methods: ReadonlyArray<string>): OptionRule => ({
  holds: (value) =>
    Predicate.isObject(value) && methods.every((name) => Predicate.isFunction(Reflect.get(value, name))),
  expected: `an object with the methods ${methods.join(", ")}`
})

export const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every(Predicate.isString)

/** What `look` gives at options of `where`. Throws {@link InvalidOption} where they cannot be read, as by a getter that throws. */
export const lookAt = <A>(where: string, look: () => A): A => {
  try {
    return look()
  } catch (cause) {
    throw faultOf(where, cause)
  }
}

const faultOf = (where: string, cause: unknown): InvalidOption =>
  cause instanceof InvalidOption
    ? cause
    : new InvalidOption("", `The options of ${where} cannot be read: reading one of them fails.`)

/** The same as an effect, which fails where {@link lookAt} throws. */
export const tryOptions = <A>(where: string, look: () => A): Effect.Effect<A, InvalidOption> =>
  Effect.try({ try: look, catch: (cause) => faultOf(where, cause) })

/**
 * Checks options by their rules. `where` is what takes them (`Almoner.open`), `wanted` says what to give. Throws
 * {@link InvalidOption} for the first that is wrong. An option that is undefined is one that is not given.
 */
export const checkOptions = (
  where: string,
  rules: Readonly<Record<string, OptionRule>>,
  options: unknown,
  wanted: string
): void => lookAt(where, () => check(where, rules, options, wanted))

const check = (where: string, rules: Readonly<Record<string, OptionRule>>, options: unknown, wanted: string): void => {
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
