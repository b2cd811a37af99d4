import { Equal, Formatter } from "effect"

/** A check that found something else than it expected. Test runners that know `actual` and `expected` show the difference. */
export class CheckFailed extends Error {
  override readonly name = "CheckFailed"
  readonly actual: unknown
  readonly expected: unknown

  constructor(message: string, actual: unknown, expected: unknown) {
    super(message)
    this.actual = actual
    this.expected = expected
  }
}

const said = (message: string | undefined, found: string): string =>
  message === undefined ? found : `${message}: ${found}`

const equal = (actual: unknown, expected: unknown, message?: string): void => {
  if (Equal.equals(actual, expected)) return
  const found = `expected ${Formatter.format(expected)}, found ${Formatter.format(actual)}`
  throw new CheckFailed(said(message, found), actual, expected)
}

const holds = (condition: boolean, found: string, actual: unknown, expected: unknown, message?: string): void => {
  if (!condition) throw new CheckFailed(said(message, found), actual, expected)
}

/** Assertions that depend on no test runner, so that checks run in any. */
export const assert = {
  deepStrictEqual: equal,
  strictEqual: <A>(actual: A, expected: NoInfer<A>, message?: string): void =>
    holds(Object.is(actual, expected), `expected ${expected}, found ${actual}`, actual, expected, message),
  notStrictEqual: <A>(actual: A, other: NoInfer<A>, message?: string): void =>
    holds(!Object.is(actual, other), `found ${other}`, actual, undefined, message),
  isTrue: (actual: unknown, message?: string): void => holds(actual === true, "expected true", actual, true, message),
  isFalse: (actual: unknown, message?: string): void =>
    holds(actual === false, "expected false", actual, false, message),
  isDefined: (actual: unknown, message?: string): void =>
    holds(actual !== undefined, "found nothing", actual, undefined, message),
  isAtLeast: (actual: number, least: number, message?: string): void =>
    holds(actual >= least, `expected at least ${least}, found ${actual}`, actual, least, message),
  isAtMost: (actual: number, most: number, message?: string): void =>
    holds(actual <= most, `expected at most ${most}, found ${actual}`, actual, most, message),
  isNotEmpty: (actual: ReadonlyArray<unknown>, message?: string): void =>
    holds(actual.length > 0, "found nothing", actual, undefined, message),
  lengthOf: (actual: ReadonlyArray<unknown> | ReadonlySet<unknown>, length: number, message?: string): void => {
    const found = actual instanceof Set ? actual.size : Array.from(actual).length
    holds(found === length, `expected ${length} of them, found ${found}`, found, length, message)
  },
  matches: (actual: string, pattern: RegExp, message?: string): void =>
    holds(pattern.test(actual), `${actual} is not like ${pattern}`, actual, String(pattern), message)
} as const
