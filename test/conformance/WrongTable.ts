import { equivalents } from "./Equivalents.ts"
import { noEnd, type Outcome } from "./Trials.ts"

const nameOf = ({ change, member, port }: Outcome): string => `${port}.${member} ${change}`

const reasons = new Map(equivalents.flatMap(([reason, wrongs]) => wrongs.map((wrong) => [wrong, reason] as const)))

/** Whether a wrong adapter passes. One that is listed as equivalent was not caught by a check that came to no end. */
const passes = (outcome: Outcome): boolean =>
  outcome.caughtBy === null || (outcome.caughtBy === noEnd && reasons.has(nameOf(outcome)))

/** The names of what is listed as equivalent, and is caught or is no wrong adapter of these ports. */
export const staleIn = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<string> => {
  const surviving = new Set(outcomes.filter(passes).map(nameOf))
  const tried = new Set(outcomes.map(({ member, port }) => `${port}.${member}`))
  return [...reasons.keys()].filter((wrong) => tried.has(wrong.split(" ")[0] ?? "") && !surviving.has(wrong))
}

interface Count {
  readonly wrong: number
  readonly caught: number
  readonly equivalent: ReadonlyArray<Outcome>
  readonly missed: ReadonlyArray<Outcome>
}

const count = (outcomes: ReadonlyArray<Outcome>): Count => {
  const surviving = outcomes.filter(passes)
  return {
    wrong: outcomes.length,
    caught: outcomes.length - surviving.length,
    equivalent: surviving.filter((each) => reasons.has(nameOf(each))),
    missed: surviving.filter((each) => !reasons.has(nameOf(each)))
  }
}

const changes = (outcomes: ReadonlyArray<Outcome>): string => outcomes.map(({ change }) => change).join("; ")

/** The document of what the suites make of the wrong adapters. */
export const tableOf = (outcomes: ReadonlyArray<Outcome>): string => {
  const all = count(outcomes)
  const members = new Map(outcomes.map(({ member, port }) => [`${port}.${member}`, [port, member] as const]))
  const rows = [...members.values()].map(([port, member]) => {
    const own = count(outcomes.filter((each) => each.port === port && each.member === member))
    return `| ${port} | ${member} | ${own.wrong} | ${own.caught} | ${changes(own.equivalent)} | ${changes(own.missed)} |`
  })
  const listed = equivalents.map(([reason]) => {
    const own = all.equivalent.filter((each) => reasons.get(nameOf(each)) === reason)
    return `| ${reason} | ${own.map(nameOf).join("; ")} |`
  })
  return `# Conformance

The stores in memory, and this package's other adapters, are made wrong in one member at a time, and the suite of the port (\`almoner/testing\`) is asked whether it notices. An adapter is made once for all checks of its suite, as in a test of yours. The wrong adapters follow from what the suite gives to each member and is answered, so that a new member has its own. Written by \`CONFORMANCE=write npx vitest run --project='slow*' test/conformance/wrong.slow.test.ts -u\`, which fails where one passes that is not named here.

A member is wrong that answers nothing, always yes, or a list without its last; that takes the first argument that it was given for all that come; that is off by one in a number, or by a millisecond in an instant that it is given; that takes half or ten times a duration; that writes nothing; or that the suite never calls. So is one whose answered records have one field otherwise: a number one more, another text, an instant a millisecond later, the contrary, nothing, something, an item less or the last one twice.

${all.caught} of ${all.wrong} wrong adapters are caught, and ${all.equivalent.length} cannot be told from the right one by a suite, for the reasons below. ${all.missed.length} pass.

| Port | Member | Wrong | Caught | Equivalent | Passes |
|---|---|---|---|---|---|
${rows.join("\n")}

## Equivalent

No answer of the port tells these from the right adapter that they were made of: either no caller can tell at all, or it shows elsewhere, as the reason says.

| Why | Wrong adapters |
|---|---|
${listed.join("\n")}
`
}

/** The wrong adapters that pass and that a document of {@link tableOf} does not name. */
export const untoldIn = (document: string, outcomes: ReadonlyArray<Outcome>): ReadonlyArray<string> => {
  const lines = document.split("\n")
  return outcomes
    .filter((outcome) => {
      const { change, member, port } = outcome
      const row = lines.find((line) => line.startsWith(`| ${port} | ${member} |`)) ?? ""
      return passes(outcome) && !row.split(/[|;]/u).some((told) => told.trim() === change)
    })
    .map(nameOf)
}
