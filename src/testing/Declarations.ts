import { destination, type Machine, type Row } from "../domain/kernel/Machine.ts"
import type { Expectation, Oracle } from "./Oracle.ts"

/** The law that a table breaks as it stands, before anything is decided; null when it breaks none. */
export const wrongDeclaration = <
  State,
  Status extends string,
  Command extends { readonly _tag: string },
  Event extends string
>(
  { births, statuses, table }: Machine<State, Status, Command, Event>,
  { expect = {} }: Oracle<State, Command>
): { readonly law: "declared" | "reachable"; readonly why: string } | null => {
  const rows = Object.values<Row<State, Status, Command, Event>>(table)
  const led = rows.flatMap((row) => row.from.flatMap((from) => [from, destination(row, from)]))
  const expected = Object.values<Expectation<State, never> | undefined>(expect)
  const hoped = expected.flatMap((each) => [
    ...(each?.from ?? []),
    ...(each === undefined || each.to === "same" ? [] : [each.to])
  ])
  const named: ReadonlyArray<string> = [...births.map(({ to }) => to), ...led, ...hoped]
  const known: ReadonlyArray<string> = statuses
  const unknown = named.find((status) => !known.includes(status))
  if (unknown !== undefined) return { law: "declared", why: `${unknown} is not one of ${statuses.join(", ")}.` }
  const reached = new Set(births.map(({ to }) => to))
  for (const _ of statuses) {
    for (const row of rows) for (const from of row.from) if (reached.has(from)) reached.add(destination(row, from))
  }
  const lost = statuses.filter((status) => !reached.has(status))
  return lost.length === 0 ? null : { law: "reachable", why: `No path leads to ${lost.join(", ")}.` }
}

/**
 * Holds what is said of a machine to what it has: whoever speaks of anything else would be heard by nobody.
 *
 * @throws RangeError
 */
export const checkNames = <
  State,
  Status extends string,
  Command extends { readonly _tag: string },
  Event extends string
>(
  { events, name, table }: Machine<State, Status, Command, Event>,
  { data = {}, expect = {} }: Oracle<State, Command>
): void => {
  const parts: ReadonlyArray<readonly [part: string, said: object, there: object]> = [
    ["expect", expect, table],
    ["data", data, events]
  ]
  for (const [part, said, there] of parts) {
    const unknown = Object.keys(said).find((each) => !Object.hasOwn(there, each))
    if (unknown === undefined) continue
    const known = Object.keys(there).join(", ")
    throw new RangeError(`${part} speaks of ${unknown}, which ${name} has not. It has ${known}.`)
  }
}
