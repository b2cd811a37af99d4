/**
 * Writes the generated files from what is built: `npm run docs`. All of them are made in a temporary folder first; only
 * then do those that differ take their places. test/docs/fresh.test.ts fails when one is stale.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import * as EmbeddedDatabase from "../dist/adapters/postgres/embedded/EmbeddedDatabase.js"
import * as Migrations from "../dist/adapters/postgres/migrations/Migrations.js"
import { generatedFiles } from "../dist/printing/GeneratedFiles.js"
import { mutantsHeading, mutantsMarkdown } from "../dist/printing/ReferenceMutants.js"
import { schemaText } from "../dist/printing/ReferenceSchema.js"
import { sizes, sizesMarkdown } from "./sizes.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const read = (path) => readFileSync(join(root, path), "utf8")
const say = (line) => process.stdout.write(`${line}\n`)

const { version } = JSON.parse(read("package.json"))

const schema = Effect.andThen(Migrations.run, schemaText).pipe(Effect.provide(EmbeddedDatabase.layerMemory))
const [domain] = read("docs/mutation.md").split(`\n${mutantsHeading}\n`)

mkdirSync(join(root, ".cache"), { recursive: true })
const fresh = mkdtempSync(join(root, ".cache", "docs-"))
try {
  const files = new Map([
    ...generatedFiles({ read, version }),
    ["docs/sizes.md", sizesMarkdown(await sizes())],
    ["docs/schema.sql", await Effect.runPromise(schema)],
    ["docs/mutation.md", `${domain}\n${mutantsMarkdown()}`]
  ])
  const changed = [...files].filter(([path, text]) => !existsSync(join(root, path)) || read(path) !== text)
  for (const [path, text] of changed) {
    mkdirSync(dirname(join(fresh, path)), { recursive: true })
    writeFileSync(join(fresh, path), text)
  }
  const gone = readdirSync(join(root, "docs/events"))
    .map((name) => `docs/events/${name}`)
    .filter((path) => !files.has(path))
  for (const [path] of changed) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    renameSync(join(fresh, path), join(root, path))
    say(`written: ${path}`)
  }
  for (const path of gone) {
    rmSync(join(root, path))
    say(`removed: ${path}`)
  }
} finally {
  rmSync(fresh, { recursive: true, force: true })
}
