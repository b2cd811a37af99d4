import { machines } from "../../src/printing/ReferenceMachines.ts"

const commands = machines.flatMap(({ table }) => Object.keys(table))

/** Words of the program that a text for people has no use for: names of commands, of types and of machines in brackets. */
const internal: ReadonlyArray<readonly [what: string, pattern: RegExp]> = [
  ["a name of the program", /\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b/],
  ["a machine in brackets", new RegExp(`\\((?:${machines.map(({ name }) => name).join("|")})\\)`)],
  ["a machine in front", new RegExp(`^(?:${machines.map(({ name }) => name).join("|")}):`)],
  ["a command in quotes", new RegExp(`["'\`](?:${commands.join("|")})["'\`]`)],
  ["a condition of a table", /is allowed only when/],
  ["a value that is none", /\bundefined\b|\[object |\bNaN\b/],
  ["a wrong plural", /\b1 (?!is\b|was\b)[a-z]{2,}s\b/]
]

/** Names that people know, from headers and from their banks. */
const known = /\b(?:PayTo|Content-Type|Content-Encoding|Idempotency-Key)\b/g

/**
 * The fault of a text as a message for people, or null: it must be whole sentences, without the program's own words.
 */
export const broken = (message: string): string | null => {
  if (!/[.?!]$/.test(message)) return "it does not end with a full stop"
  if (/\.\.$|\s{2}|^\s/.test(message)) return "it is not set as a sentence"
  const said = message.replaceAll(known, "")
  return internal.find(([, pattern]) => pattern.test(said))?.[0] ?? null
}
