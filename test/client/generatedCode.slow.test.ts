import { execFile } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { build } from "esbuild"
import { openApi } from "../../src/adapters/http/reference/OpenApi.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import { root } from "../architecture/Checkout.ts"
import { install } from "../package/Tarball.ts"
import { runFolder } from "../support/RunFolder.ts"
import { describeService, inMemory } from "../support/ServiceSuite.ts"
import { makeTenant } from "../support/Tenant.ts"

/** Runs a program on this Node to its end. */
const node = (parameters: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>> = {}) =>
  promisify(execFile)(process.execPath, parameters, { cwd, env: { ...process.env, ...env } })

/** The generator prints types with the compiler's own library, which version 7 of the compiler does not have. */
const packages = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3"]

/** How the program over the generated client is compiled. */
const compilerOptions = {
  target: "es2023",
  lib: ["es2023", "dom", "dom.iterable"],
  module: "nodenext",
  moduleResolution: "nodenext",
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  types: ["node"],
  typeRoots: [join(root, "node_modules/@types")]
}

/** A program over the generated client. It prints what it saw. */
const use = `import createClient from "openapi-fetch"
import type { paths } from "./openapi-typescript.ts"

const { API_KEY, BASE_URL, PASSPHRASE } = process.env
const api = createClient<paths>({
  baseUrl: BASE_URL ?? "",
  headers: { authorization: \`Bearer \${API_KEY}\` },
  querySerializer: { array: { style: "form", explode: false } }
})

const answered = <A>({ data, error }: { data?: A | undefined; error?: unknown }): A => {
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}

const donor = answered(await api.POST("/api/v1/donors", { body: { first_name: "Ada", email: "ada@example.org" } }))
const gift = answered(
  await api.POST("/api/v1/donations", {
    params: { header: { "Idempotency-Key": "gift-1" } },
    body: { donor_id: donor.id, donation_type: "MONETARY", amount_cents: 5_000, donation_date: "2026-01-10" }
  })
)
const refunded = answered(
  await api.POST("/api/v1/donations/{id}/refund", { params: { path: { id: gift.id } }, body: { amount_cents: 2_000 } })
)
const cents: number = refunded.refund.amount_cents
const gifts = answered(
  await api.GET("/api/v1/donations", {
    params: { query: { "status[in]": ["CONFIRMED", "REFUNDED"], donor_id: donor.id, limit: 10 } }
  })
)
const account = answered(await api.POST("/api/v1/recipient-accounts", { body: { passphrase: PASSPHRASE ?? "" } }))
const set = answered(
  await api.POST("/api/v1/recommendation-sets", {
    body: {
      name: "Winter",
      allocations: [{ recipient_org_account_link_id: account.id, amount_cents: 700 }]
    }
  })
)
const introduction = answered(
  await api.POST("/api/v1/introductions", { body: { invitee_email: "bea@example.org", external_id: null } })
)
const listed = answered(await api.GET("/api/v1/introductions", { params: { query: { status: "pending" } } }))
const missing = await api.GET("/api/v1/donors/{id}", { params: { path: { id: donor.id.replace(/.{3}$/, "zzz") } } })

// @ts-expect-error an amount is a number
void (() => api.POST("/api/v1/introductions", { body: { invitee_email: 1 } }))

console.log(
  JSON.stringify({
    gift: gift.status,
    refunded: cents,
    left: gifts.data.map(({ amount_cents, refunded_amount_cents }) => amount_cents - refunded_amount_cents),
    set: set.total_amount_cents,
    introductions: listed.data.map(({ id, status }) => [id === introduction.id, status]),
    missing: missing.error?.error.code
  })
)
`
/** The compiler's output for a folder: empty when it compiles. */
const compiled = async (folder: string): Promise<string> => {
  const compiler = join(root, "node_modules/typescript/bin/tsc")
  const { stdout } = await node([compiler, "-p", ".", "--pretty", "false"], folder).catch(
    (failed: { readonly stdout: string }) => failed
  )
  return stdout
}

/** `npm run generators` has others. */
describeService(inMemory, "a client that openapi-typescript made of the OpenAPI document", (service) => {
  let folder: string
  let port: number

  beforeAll(async () => {
    folder = runFolder("generated")
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
    const document = openApi({ apiBaseUrl: "https://api.example.org", version: "1.2.3" })
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(document))
    writeFileSync(join(folder, "use.ts"), use)
    await install(folder, ...packages)
    const program = join(folder, "node_modules/openapi-typescript/bin/cli.js")
    await node([program, "openapi.json", "--output", "openapi-typescript.ts"], folder)
    port = await service.listen()
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
  })

  it("compiles", async () => {
    assert.strictEqual(await compiled(folder), "")
  })

  it("drives the service", async () => {
    const tenant = await makeTenant(service)
    const recipient = await makeTenant(service)
    const account = { label: "Main", processor_connect_account_id: "acct_1" }
    const { passphrase } = await recipient.staff(Integrations.use((all) => all.create(account)))
    const outfile = join(folder, "use.mjs")
    await build({ entryPoints: [join(folder, "use.ts")], outfile, bundle: true, platform: "node", format: "esm" })
    const { stdout } = await node([outfile], folder, {
      API_KEY: tenant.writeKey.secret,
      BASE_URL: `http://127.0.0.1:${port}`,
      PASSPHRASE: passphrase
    })
    assert.deepStrictEqual(JSON.parse(stdout), {
      gift: "CONFIRMED",
      refunded: 2_000,
      left: [3_000],
      set: 700,
      introductions: [[true, "PENDING"]],
      missing: "not_found"
    })
  })
})
