import type { Score } from "./IndependentMutants.ts"

/** The least share that must be killed of the mutants of each machine, and of all of them, percent. */
export const leastPercent = 95
export const leastPercentOfAll = 97

/** The heading of the section of docs/mutation.md; the section ends where that of `npm run docs` begins. */
export const heading = "## Machines, by operators written apart"
const nextHeading = "## Machines"

/** What lives and may: no record that there is shows it, or nobody relies on it. By machine, mistake and place. */
const accepted: Readonly<Record<string, string>> = {}

export const percentOf = ({ killed, mutants }: Pick<Score, "killed" | "mutants">): number =>
  mutants === 0 ? 100 : (100 * killed) / mutants

export const totalOf = (scores: ReadonlyArray<Score>): Pick<Score, "equivalent" | "killed" | "mutants"> => {
  const sum = (field: "equivalent" | "killed" | "mutants") => scores.reduce((total, each) => total + each[field], 0)
  return { mutants: sum("mutants"), killed: sum("killed"), equivalent: sum("equivalent") }
}

const cells = (...values: ReadonlyArray<string | number>): string => `| ${values.join(" | ")} |`

const lineOf = (name: string, score: Pick<Score, "equivalent" | "killed" | "mutants">): string =>
  cells(name, score.mutants, score.killed, `${percentOf(score).toFixed(1)} %`, score.equivalent)

const intro = [
  "Mistakes of 110 kinds that were written by somebody who had not read those of `Mutants`, nor the laws (`test/laws/independent`): every value that a row writes, a condition reads or an event tells is made wrong in each way that its kind allows (an instant, an amount, a day, a text, a list, a field of what it holds), or comes from another field of the record or the command; a field changes that stays; a row, a birth or a refusal is somebody else's; a check of commands is loose or narrow by one; and a reading of the table tells otherwise what it decided.",
  "`Laws.check` of `almoner/testing` is asked with the bundled subject. A mutant for which a search over thousands of decisions, without laws, finds none that differs from the machine's is taken for equivalent and not asked about. `node scripts/verify.mjs mutants` tries them all, and fails below 95 % of any machine, below 97 % of all, and where this section is stale; `MUTANTS=write npx vitest run --project=mutants -u` writes it. `.ci/run` tries thirty of each machine."
]

/** The section of docs/mutation.md. */
export const sectionOf = (scores: ReadonlyArray<Score>): string => {
  const alive = scores.flatMap(({ alive: own, machine }) =>
    own.map((mistake) => cells(machine, mistake, accepted[`${machine}: ${mistake}`] ?? "none given"))
  )
  return [
    heading,
    "",
    ...intro.flatMap((paragraph) => [paragraph, ""]),
    cells("Machine", "Mutants", "Killed", "Score", "Equivalent"),
    "|---|---|---|---|---|",
    ...scores.map((score) => lineOf(score.machine, score)),
    lineOf("All", totalOf(scores)),
    ...(alive.length === 0 ? [] : ["", cells("Machine", "Alive", "Why"), "|---|---|---|", ...alive]),
    ""
  ].join("\n")
}

/** Where the section of a document begins and ends; it is put before that of `npm run docs`, where there is none. */
const placeIn = (document: string): readonly [start: number, end: number] => {
  const end = document.indexOf(`\n${nextHeading}\n`)
  const start = document.indexOf(`\n${heading}\n`)
  return [start === -1 ? end : start, end]
}

/** The document with its section of these scores instead of that it has. */
export const documentWith = (document: string, scores: ReadonlyArray<Score>): string => {
  const [start, end] = placeIn(document)
  return `${document.slice(0, start)}\n${sectionOf(scores)}${document.slice(end)}`
}

/** The machines of the section of a document. */
export const machinesIn = (document: string): Array<string> =>
  [...document.slice(...placeIn(document)).matchAll(/^\| ([^|]+) \| \d+ \|/gm)].flatMap(([, machine = "", ..._]) =>
    machine === "All" ? [] : [machine]
  )
