/**
 * The additions of docs/architecture.md, "How to add", carried out: `npm run additions`, a part of `npm run verify`. Each is
 * made in a copy of the checkout, with the edits that the page names and no other: a field of donors, an operation on donors,
 * and an event type that nothing emits, which must be found out. `node scripts/additions.mjs field` carries out one.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const say = (line) => process.stdout.write(`${line}\n`)

/** Text that goes behind other text of a file. */
const behind = (file, place, text) => ({ file, place, text })

const migration = `import { statements } from "./Statements.ts"

/** The name that a donor goes by. */
export const preferredNames = statements("ALTER TABLE donors ADD COLUMN preferred_name text")
`

const folderOfMigrations = "src/adapters/postgres/migrations"
const migrations = `${folderOfMigrations}/Migrations.ts`

/** The next migration's name. A file of several is named by the first and the last of them. */
const next = (() => {
  const numbers = readdirSync(join(root, folderOfMigrations)).flatMap((name) =>
    (name.match(/\d{4}/gu) ?? []).map(Number)
  )
  return `${String(Math.max(...numbers) + 1).padStart(4, "0")}_preferred_names`
})()

const additions = {
  field: {
    files: { [`${folderOfMigrations}/${next}.ts`]: migration },
    edits: [
      behind(
        "src/domain/giving/DonorFields.ts",
        '  last_name: "Family name.",\n',
        '  preferred_name: "Name that the donor goes by.",\n'
      ),
      behind(
        migrations,
        'import { StatementDeadline } from "../connection/Session.ts"\n',
        `import { preferredNames } from "./${next}.ts"\n`
      ),
      behind(migrations, "const migrations = {\n", `  "${next}": preferredNames,\n`),
      // The tests that say the fields of a donor on purpose.
      behind("test/domain/giving/Donor.test.ts", '  "last_name",\n', '  "preferred_name",\n'),
      behind("test/http/donors.test.ts", "  last_name: null,\n", "  preferred_name: null,\n"),
      behind("test/http/donors.test.ts", '      last_name: "Lovelace",\n', '      preferred_name: "Ada",\n')
    ],
    tests: [
      "test/domain/giving",
      "test/http/donors.test.ts",
      "test/docs/examples.test.ts",
      "test/docs/fresh.test.ts",
      "test/laws"
    ]
  },
  operation: {
    files: {},
    edits: [
      behind(
        "src/app/giving/Donors.ts",
        'Row.table("donors", {\n',
        '  readAgain: Row.read("Read a donor again", [donorId], Donor.DonorRecord),\n'
      ),
      behind(
        "src/app/giving/Donors.ts",
        "  const transaction = yield* Transaction\n",
        `
  const readAgain = readMethod("Donors.readAgain", operations.readAgain, "donor", store)
`
      ),
      behind("src/app/giving/Donors.ts", "serviceInOrganisationTime(operations, { ", "readAgain, "),
      behind(
        "src/adapters/http/endpoints/giving/donors.ts",
        'HttpApiGroup.make("donors")\n',
        `  .add(
    get(donorOperations.readAgain, "readAgain", "/donors/:id/again", {
      description: "The donor as it is.",
      example: { answer: exampleDonor }
    })
  )
`
      ),
      behind("src/client/Operations.ts", "  donors: {\n", '    readAgain: "GET /donors/:id/again",\n')
    ],
    tests: [
      "test/http/matrix.test.ts",
      "test/http/donors.test.ts",
      "test/docs/examples.test.ts",
      "test/docs/fresh.test.ts",
      "test/client/service.test.ts"
    ]
  },
  event: {
    files: {},
    edits: [
      behind(
        "src/domain/outbox/Event.ts",
        "export const catalogue = {\n",
        '  "donor.greeted": spec("a donor is greeted", Donor.eventData.created),\n'
      )
    ],
    tests: ["test/domain/outbox/Event.test.ts"],
    foundOutBy: "has no type that nothing emits"
  }
}

/** A copy of what version control has, with the packages that are installed here. */
const copyOf = (name) => {
  const folder = mkdtempSync(join(tmpdir(), `almoner-addition-${name}-`))
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root })
  for (const path of listed
    .toString()
    .split("\0")
    .filter((each) => each !== "")) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path))
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  return folder
}

const edit = (folder, { file, place, text }) => {
  const path = join(folder, file)
  const before = readFileSync(path, "utf8")
  if (!before.includes(place)) throw new Error(`${file} has no longer: ${place.trim()}`)
  writeFileSync(
    path,
    before.replace(place, () => `${place}${text}`)
  )
}

/** The count of tests is of the additions, not of the runs that they are tried by. */
const { RESULTS: _, ...env } = process.env

const run = (folder, ...words) =>
  spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8", env, maxBuffer: 2 ** 26 })

const steps = {
  build: ["scripts/setup.mjs", "build"],
  docs: ["scripts/docs.mjs"],
  types: ["node_modules/typescript/bin/tsc", "--noEmit"]
}

/** Carries an addition out, and answers what went otherwise than it should; null where all is well. */
const faultOf = ({ edits, files, foundOutBy, tests }, folder) => {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text)
  for (const each of edits) edit(folder, each)
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project=quick*", ...tests]
  if (foundOutBy !== undefined) {
    const { status, stdout } = run(folder, ...vitest)
    return status !== 0 && stdout.includes(foundOutBy) ? null : `It was not found out.\n${stdout}`
  }
  for (const words of [steps.build, steps.docs, steps.types, vitest]) {
    const { status, stderr, stdout } = run(folder, ...words)
    if (status !== 0) return `${words[0]} failed.\n${stdout}${stderr}`
  }
  return null
}

const named = process.argv.slice(2)
for (const [name, addition] of Object.entries(additions)) {
  if (named.length > 0 && !named.includes(name)) continue
  const folder = copyOf(name)
  try {
    const since = performance.now()
    const fault = faultOf(addition, folder)
    const files = new Set([...Object.keys(addition.files), ...addition.edits.map(({ file }) => file)])
    const seconds = Math.round((performance.now() - since) / 1_000)
    say(`${name}: ${[...files].join(", ")}; ${seconds} s${fault === null ? "" : `\n${fault}`}`)
    if (fault !== null) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
