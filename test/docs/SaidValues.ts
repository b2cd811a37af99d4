import { inspect } from "node:util"
import { compileFunction } from "node:vm"
import { DateTime, Duration, Equal, Option, Result, Schema } from "effect"
import { transformSync } from "esbuild"

/** An example that says what its lines come to, behind `// =>`. */
export interface Example {
  readonly name: string
  readonly code: string
}

/** What examples that run take from `effect`. */
export const inScope = { DateTime, Duration, Option, Result, Schema }

/** Where the statement begins whose last line this is: it is indented, or closes brackets, where it goes on. */
const beginningOf = (lines: ReadonlyArray<string>, last: number): number => {
  let first = last
  while (first > 0 && /^(?:\s|[)\]}])/.test(lines[first] ?? "")) first -= 1
  return first
}

/** An example with a call of `said` or `threw` for each value that it says. The value stands behind the last line, or below. */
const programOf = (code: string): string => {
  const lines = code.split("\n")
  for (const [index, line] of lines.entries()) {
    const [, before = "", value] = /^(.*?)\s*\/\/ => (.+)$/.exec(line) ?? []
    if (value === undefined) continue
    const last = before.trim() === "" ? index - 1 : index
    lines[index] = before
    const first = beginningOf(lines, last)
    const statement = lines.slice(first, last + 1).join("\n")
    const words = JSON.stringify(`${statement} // => ${value}`)
    const error = /^throws (\w+)$/.exec(value)?.[1]
    const call =
      error === undefined
        ? `said(${words}, () => (${statement}), () => (${value}))`
        : `threw(${words}, () => (${statement}), "${error}")`
    lines.splice(first, last + 1 - first, call, ...Array.from({ length: last - first }, () => ""))
  }
  return lines.join("\n")
}

/**
 * Examples as programs, each in a scope of its own with the given names. One returns its complaints: a value that is another
 * than the example says, an error, or a refusal that did not come.
 */
export const programsOf = (
  examples: ReadonlyArray<Example>,
  scope: Readonly<Record<string, unknown>>
): ReadonlyArray<() => ReadonlyArray<string>> => {
  let complaints: Array<string> = []
  let name = ""
  const said = (words: string, left: () => unknown, right: () => unknown): void => {
    const [actual, expected] = [left(), right()]
    if (!Equal.equals(actual, expected)) complaints.push(`${name}: ${words}, but is ${inspect(actual, { depth: 6 })}`)
  }
  const threw = (words: string, run: () => unknown, error: string): void => {
    try {
      run()
    } catch (thrown) {
      if (thrown instanceof Error && thrown.name === error) return
    }
    complaints.push(`${name}: ${words}, but does not`)
  }
  const functions = examples.map(({ code }) => `() => {\n${programOf(code)}\n}`)
  const { code } = transformSync(`const programs = [${functions.join(",\n")}]`, { loader: "ts", target: "es2022" })
  const names = Object.keys(scope)
  const programs: ReadonlyArray<() => void> = compileFunction(`${code}\nreturn programs`, ["said", "threw", ...names])(
    said,
    threw,
    ...Object.values(scope)
  )
  return programs.map((run, index) => () => {
    name = examples[index]?.name ?? ""
    complaints = []
    try {
      run()
    } catch (thrown) {
      complaints.push(`${name}: ${thrown}`)
    }
    return complaints
  })
}

/** The complaints of examples that are run in one go. */
export const complaintsOf = (
  examples: ReadonlyArray<Example>,
  scope: Readonly<Record<string, unknown>>
): ReadonlyArray<string> => programsOf(examples, scope).flatMap((run) => run())
