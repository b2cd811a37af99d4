import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { root } from "../architecture/Checkout.ts"

const source = (file: string): string => JSON.stringify(join(root, "src", file))

const use = (statement: string): string =>
  `import { type Client, verifyWebhook } from ${source("client.ts")}
declare const client: Client
declare const options: Parameters<typeof verifyWebhook>[0]
export const probe = async () => {
  ${statement}
}
`

const table = readFileSync(join(root, "src/client/Operations.ts"), "utf8").replace(
  '"./DeclaredTypes.ts"',
  source("client/DeclaredTypes.ts")
)
const changed = (text: string, from: string | RegExp, to: string): string => {
  const result = text.replace(from, to)
  assert.notStrictEqual(result, text)
  return result
}

const gift = 'donor_id: "dnr_1", donation_type: "MONETARY", donation_date: "2026-01-10"'

const compiles: Readonly<Record<string, string>> = {
  "the table": table,
  "ids, then a body, then options": use(
    'return client.donors.update("dnr_1", { email: null }, { idempotencyKey: "k", maxRetries: 0 })'
  ),
  "ids and options": use('return client.webhookDeliveries.replay("whd_1", { idempotencyKey: null })'),
  "a filter by value and by operator": use(
    'return client.donations.list({ status: { in: ["CONFIRMED"] }, amount_cents: { gte: 100 }, is_recurring: true })'
  ),
  "filters by their kind: text, enum, integer, boolean, instant": use(
    `return client.donations.list({
    external_id: { in: ["a"] }, source: "MANUAL", amount_cents: { gte: 1, in: [5] }, is_recurring: { eq: true },
    created_at: { lt: "2026-01-01" }, limit: 5, starting_after: "don_1"
  })`
  ),
  "what only some lists take: search, segment, archived, sort, a flag": use(
    `await client.contactLogs.list("dnr_1", { include_notes: false, follow_up_open: true })
  return client.donors.list({ search: "ada", segment: "new", archived: true, sort: "-last_name" })`
  ),
  "an instant as text": use("const at: string = (await client.donors.read('dnr_1')).created_at; return at"),
  "an id as text": use("const id: string = (await client.donors.create({})).id; return id"),
  "an outcome": use(
    "const o = await client.meta.whoami().outcome(); return o.ok ? o.rate?.remaining : o.failure.name === 'AlmonerError' ? o.failure.code : o.failure.reason"
  ),
  "an event by its type": use(
    `const event = await verifyWebhook(options)
  if (event.type !== "donation.succeeded") return 0
  const amount: number = event.data.amount_cents
  return amount`
  ),
  "a read event by its type": use(
    `const event = await client.events.read("evt_1")
  if (event.type !== "donation.succeeded") return 0
  const amount: number = event.data.amount_cents
  return amount`
  ),
  "an iteration": use(
    "for await (const { code } of client.revenueCodes.all({ is_fca: true })) return code.length; return 0"
  ),
  "an iteration below a record": use(
    "for await (const { id } of client.contactLogs.all('dnr_1', { follow_up_open: true })) return id; return 0"
  )
}

const refused: Readonly<Record<string, string>> = {
  "a table without an operation": changed(table, /\n {4}archive: "DELETE \/donors\/:id",?/, ""),
  "a table without a group": changed(table, /\n {2}meta: \{[^}]*\},/, ""),
  "a table with a spare operation": changed(
    table,
    "donations: {",
    'donations: {\n    remove: "DELETE /donations/:id",'
  ),
  "a table with a wrong path": changed(table, '"GET /donors/:id"', '"GET /donor/:id"'),
  "a table with a wrong method": changed(table, '"PATCH /donors/:id', '"PUT /donors/:id'),
  "a table that forgets a body": changed(table, '"POST /donors body"', '"POST /donors"'),
  "an unknown operation": use("return client.donors.remove('dnr_1')"),
  "a missing id": use("return client.donors.read()"),
  "an iteration without the id of its record": use("return client.contactLogs.all({ follow_up_open: true })"),
  "a missing body": use("return client.donors.create()"),
  "a missing field": use(`return client.donations.create({ ${gift} })`),
  "an amount as text": use(`return client.donations.create({ ${gift}, amount_cents: "25.00" })`),
  "an unknown field": use("return client.donors.create({ firstname: 'Ada' })"),
  "an unknown filter": use("return client.donors.list({ colour: 'red' })"),
  "an unknown value of a filter": use("return client.donations.list({ status: 'confirmed' })"),
  "an operator that a filter does not have": use("return client.donors.list({ email: { gte: 'a' } })"),
  "an amount of a filter as text": use("return client.donations.list({ amount_cents: { gte: '100' } })"),
  "an operator that is none": use("return client.donations.list({ amount_cents: { over: 100 } })"),
  "one value where a filter takes several": use("return client.donations.list({ status: { in: 'CONFIRMED' } })"),
  "a search where there is none": use("return client.donations.list({ search: 'ada' })"),
  "a flag of another list": use("return client.donors.list({ include_notes: true })"),
  "an unknown type of events": use("return client.events.list({ type: 'donor.vanished' })"),
  "an unknown order": use("return client.donors.list({ sort: 'email' })"),
  "a key for a read": use("return client.donors.read('dnr_1', { idempotencyKey: 'k' })"),
  "a value without a look at the outcome": use("return (await client.meta.whoami().outcome()).value"),
  "an unknown code": use(
    "const o = await client.meta.whoami().outcome(); return !o.ok && o.failure.name === 'AlmonerError' && o.failure.code === 'teapot'"
  ),
  "an unknown event": use("return (await verifyWebhook(options)).type === 'donor.vanished'"),
  "data of another event": use(
    "const event = await verifyWebhook(options); return event.type === 'donor.created' ? event.data.amount_cents : 0"
  )
}

/** Compiles files as the project is compiled, and gives the names of those with errors. */
const failing = (folder: string): Promise<ReadonlySet<string>> => {
  const settings = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: { typeRoots: [join(root, "node_modules/@types")], noUnusedLocals: false },
    include: ["*.ts"]
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings))
  return new Promise((resolve) => {
    const tsc = join(root, "node_modules/typescript/bin/tsc")
    execFile(process.execPath, [tsc, "--pretty", "false"], { cwd: folder, maxBuffer: 2 ** 26 }, (_, stdout) =>
      resolve(new Set([...stdout.matchAll(/^(\S+)\(\d+,\d+\): error/gm)].map(([, file = ""]) => file)))
    )
  })
}

describe("the client's types", () => {
  const folder = mkdtempSync(join(tmpdir(), "almoner-client-types-"))
  const files = Object.entries({ ...compiles, ...refused }).map(([name, text], index) => ({
    name,
    text,
    file: `probe${index}.ts`
  }))
  let errors: ReadonlySet<string> = new Set()

  beforeAll(async () => {
    for (const { file, text } of files) writeFileSync(join(folder, file), text)
    errors = await failing(folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  for (const { file, name } of files) {
    const isRefused = Object.hasOwn(refused, name)
    it(`${isRefused ? "refuse" : "accept"} ${name}`, () => assert.strictEqual(errors.has(file), isRefused))
  }
})
