import type { Score } from "./IndependentMutants.ts"

/** The least share that must be killed of the mutants of each machine, and of all of them, percent. */
export const leastPercent = 95
export const leastPercentOfAll = 97

/** The heading of the section of docs/mutation.md; the section ends where that of `npm run docs` begins. */
const heading = "## Machines, by operators written apart"
const nextHeading = "## Machines"

export const percentOf = ({ killed, mutants }: Pick<Score, "killed" | "mutants">): number =>
  mutants === 0 ? 100 : (100 * killed) / mutants

export const totalOf = (scores: ReadonlyArray<Score>): Pick<Score, "killed" | "made" | "mutants" | "unseen"> => {
  const sum = (field: "killed" | "made" | "mutants" | "unseen") =>
    scores.reduce((total, each) => total + each[field], 0)
  return { made: sum("made"), mutants: sum("mutants"), killed: sum("killed"), unseen: sum("unseen") }
}

const cells = (...values: ReadonlyArray<string | number>): string => `| ${values.join(" | ")} |`

const lineOf = (name: string, score: Pick<Score, "killed" | "made" | "mutants" | "unseen">): string =>
  cells(name, score.made, score.mutants, score.killed, `${percentOf(score).toFixed(1)} %`, score.unseen)

const intro = [
  "Mistakes of 110 kinds that were written by somebody who had not read those of `Mutants`, nor the laws (`test/laws/independent`): what a row writes, a condition reads or an event tells is wrong in each way that its kind allows, or comes from another field; a field changes that stays; a row, a birth or a refusal is another's; a check of commands is loose or narrow by one; and a reading of the table tells otherwise what it decided.",
  "`Laws.check` of `almoner/testing` is asked with the bundled subject. A mutant for which a search over thousands of decisions, without laws, finds none that differs from the machine's is not asked about, and counted as unseen: most are equivalent (null where there is null, a condition that reads another field of the same value), and some need a value that no record of the subject has, as an amount beyond 32 bits.",
  "`node scripts/verify.mjs mutants` tries them all, and fails below 95 % of any machine and below 97 % of all; `MUTANTS=write npx vitest run --project=mutants -u` writes it, and with `-t` and the name of a machine its line alone. `.ci/run` tries thirty of each machine."
]

/** The section of docs/mutation.md. */
export const sectionOf = (scores: ReadonlyArray<Score>): string => {
  const alive = scores.flatMap(({ alive: own, machine }) => own.map((mistake) => cells(machine, mistake)))
  return [
    heading,
    "",
    ...intro.flatMap((paragraph) => [paragraph, ""]),
    cells("Machine", "Made", "Asked about", "Killed", "Score", "Unseen"),
    "|---|---|---|---|---|---|",
    ...scores.map((score) => lineOf(score.machine, score)),
    lineOf("All", totalOf(scores)),
    ...scores
      .filter(({ made, mutants, unseen }) => mutants + unseen < made)
      .flatMap(({ machine }) => ["", `Of ${machine} a part was tried, in an order that mixes all kinds and places.`]),
    ...(alive.length === 0 ? [] : ["", cells("Machine", "Alive"), "|---|---|", ...alive]),
    ""
  ].join("\n")
}

/** Where the section of a document begins and ends; it is put before that of `npm run docs`, where there is none. */
const placeIn = (document: string): readonly [start: number, end: number] => {
  const end = document.indexOf(`\n${nextHeading}\n`)
  const start = document.indexOf(`\n${heading}\n`)
  return [start === -1 ? end : start, end]
}

/** The scores that the section of a document has. */
const scoresIn = (document: string): ReadonlyArray<Score> => {
  const rows = document
    .slice(...placeIn(document))
    .split("\n")
    .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")))
  return rows.flatMap(([machine = "", made = "", mutants, killed, , unseen]) =>
    machine === "All" || !/^\d+$/.test(made)
      ? []
      : [
          {
            machine,
            made: Number(made),
            mutants: Number(mutants),
            killed: Number(killed),
            unseen: Number(unseen),
            alive: rows.flatMap(([each, mistake = "", why]) =>
              each === machine && why !== undefined && mistake.includes(": ") ? [mistake] : []
            )
          }
        ]
  )
}

/** The document with these scores in its section; machines that were not asked about keep theirs. */
export const documentWith = (document: string, scores: ReadonlyArray<Score>): string => {
  const [start, end] = placeIn(document)
  const kept = scoresIn(document)
  const all = [
    ...kept.map((each) => scores.find(({ machine }) => machine === each.machine) ?? each),
    ...scores.filter((each) => !kept.some(({ machine }) => machine === each.machine))
  ]
  return `${document.slice(0, start)}\n${sectionOf(all)}${document.slice(end)}`
}

/** The machines of the section of a document. */
export const machinesIn = (document: string): Array<string> => scoresIn(document).map(({ machine }) => machine)
