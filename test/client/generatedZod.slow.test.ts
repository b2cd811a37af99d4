import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { build } from "esbuild"
import { openApi } from "../../src/adapters/http/reference/OpenApi.ts"
import { runFolder } from "../support/RunFolder.ts"
import { type Service, startService } from "../support/Service.ts"
import { memory } from "../support/Stores.ts"
import { makeTenant } from "../support/Tenant.ts"
import { compiled, compilerOptions, node, packageOf, withLibrary } from "./Generator.ts"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

/** Neither generator runs on an older Node; `npm run test:current` has a newer one. */
const tooOld = major < 22 || (major === 22 && minor < 18)

const generators = {
  "@hey-api/openapi-ts": {
    program: "dist/run.mjs",
    config: "openapi-ts.config.mjs",
    settings: (_: string) => `export default {
  input: "./openapi.json",
  output: "hey-api",
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "zod", { name: "@hey-api/sdk", validator: true }],
  logs: { level: "warn", file: false }
}
`,
    scenario: `import { client } from "./hey-api/client.gen"
import { donorsCreate, donorsList, eventsList } from "./hey-api/sdk.gen"

const { API_KEY, BASE_URL } = process.env
client.setConfig({ baseUrl: BASE_URL ?? "", auth: () => API_KEY ?? "", throwOnError: true })

const { data: donor } = await donorsCreate({
  body: { donor_type: "INDIVIDUAL", first_name: "Ada", email: "ada@example.org" },
  throwOnError: true
})
const { data: found } = await donorsList({
  query: { "created_at[gte]": "2026-01-01", "created_at[lt]": "2126-01-01T00:00:00Z", "donor_type[in]": ["INDIVIDUAL", "TRUST"] },
  throwOnError: true
})
const { data: events } = await eventsList({ query: { type: "donor.created" }, throwOnError: true })
const [event] = events.data
const named: string | null = event?.type === "donor.created" ? event.data.first_name : null

// @ts-expect-error a date is text
void (() => donorsList({ query: { "created_at[gte]": 1 } }))

console.log(JSON.stringify({ email: donor.email, found: found.data.map(({ id }) => id === donor.id), named }))
`
  },
  orval: {
    program: "dist/bin/orval.mjs",
    config: "orval.config.mjs",
    settings: (baseUrl: string) => `const input = "./openapi.json"
export default {
  client: { input, output: { mode: "single", target: "./orval/client.ts", client: "fetch", baseUrl: ${JSON.stringify(baseUrl)} } },
  zod: { input, output: { mode: "single", target: "./orval/zod.ts", client: "zod" } }
}
`,
    scenario: `import { donorsCreate, donorsList, eventsList } from "./orval/client"
import { DonorsCreateBody, DonorsCreateResponse, EventsListResponse } from "./orval/zod"

const headers = { authorization: \`Bearer \${process.env.API_KEY}\` }
const body = DonorsCreateBody.parse({ donor_type: "INDIVIDUAL", first_name: "Ada", email: "ada@example.org" })
const made = await donorsCreate(body, { headers })
if (made.status !== 201) throw new Error(made.data.error.message)
const donor = DonorsCreateResponse.parse(made.data)
const found = await donorsList(
  { "created_at[gte]": "2026-01-01", "created_at[lt]": "2126-01-01T00:00:00Z", "donor_type[in]": ["INDIVIDUAL", "TRUST"] },
  { headers }
)
if (found.status !== 200) throw new Error(found.data.error.message)
const listed = await eventsList({ type: "donor.created" }, { headers })
if (listed.status !== 200) throw new Error(listed.data.error.message)
EventsListResponse.parse(listed.data)
const [event] = listed.data.data
const named: string | null = event?.type === "donor.created" ? event.data.first_name : null

// @ts-expect-error a date is text
void (() => donorsList({ "created_at[gte]": 1 }))

console.log(JSON.stringify({ email: donor.email, found: found.data.data.map(({ id }) => id === donor.id), named }))
`
  }
} as const

const expected = { email: "ada@example.org", found: [true], named: "Ada" }

const reason = tooOld ? ` (skipped: needs Node 22.18, this is ${process.versions.node})` : ""

describe.skipIf(tooOld)(`a client with zod that another generator made of the OpenAPI document${reason}`, () => {
  let service: Service
  let baseUrl: string

  beforeAll(async () => {
    service = await startService({ stores: memory })
    baseUrl = `http://127.0.0.1:${await service.listen()}`
  })
  afterAll(async () => {
    await service.stop()
  })

  const generated = async (name: keyof typeof generators): Promise<string> => {
    const { config, program, scenario, settings } = generators[name]
    const folder = runFolder("generated")
    const options = { ...compilerOptions, module: "esnext", moduleResolution: "bundler" }
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["use.ts"] }))
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(openApi({ apiBaseUrl: baseUrl, version: "1.2.3" })))
    writeFileSync(join(folder, config), settings(baseUrl))
    writeFileSync(join(folder, "use.ts"), scenario)
    await node(["--import", withLibrary(folder), join(packageOf(name), program)], folder)
    return folder
  }

  for (const name of ["@hey-api/openapi-ts", "orval"] as const) {
    it(`creates a donor: ${name}`, async () => {
      const folder = await generated(name)
      assert.strictEqual(await compiled(folder), "")
      const outfile = join(folder, "use.mjs")
      await build({ entryPoints: [join(folder, "use.ts")], outfile, bundle: true, platform: "node", format: "esm" })
      const { writeKey } = await makeTenant(service)
      const { stdout } = await node([outfile], folder, { API_KEY: writeKey.secret, BASE_URL: baseUrl })
      assert.deepStrictEqual(JSON.parse(stdout), expected)
    })
  }
})
